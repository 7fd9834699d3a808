#!/usr/bin/env python3
"""Do the pages of a folder behave in a browser? Their pictures are for eyes, the rest is checked here.

usage: look.py CHROMIUM FOLDER [SECONDS]      SECONDS: how long an answer of the browser may take, 60

Of every FOLDER/NAME.html: NAME-wide.png, NAME-open.png, NAME-dark.png, NAME-phone.png and NAME.pdf, and
- it asks for nothing, and the browser has no complaint, about its security policy for instance;
- at 400 pixels nothing but the boxes of tables and code is wider than the screen, with every section open, too;
- the first key press reaches a link past the contents, and whatever has the focus can be seen;
- a link to a section opens it, without a script;
- on paper every section is open, and no table is cut off;
- text stands out from what is behind it, 4.5 to 1 at least, in light and in dark.
"""
import base64
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PHONE, WIDE, HEIGHT, PICTURE_HEIGHT = 400, 1280, 900, 2000
SECONDS = 60
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe")

WIDER = """(() => {
  const wide = [];
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('.table > *, pre > *') || !e.checkVisibility()) continue;
    const box = e.getBoundingClientRect();
    if (box.right > innerWidth + 1) wide.push(e.tagName + ' ' + e.textContent.slice(0, 40));
  }
  if (document.documentElement.scrollWidth > innerWidth) wide.push('the page');
  return wide.slice(0, 3);
})()"""

CLOSED = """[...document.querySelectorAll('details > :not(summary)')].filter(e => e.textContent.trim() &&
  (!e.checkVisibility({contentVisibilityAuto: true}) || !e.getClientRects().length)).length"""

CUT_OFF = """[...document.querySelectorAll('.table')].filter(e => e.scrollWidth > e.clientWidth + 1 &&
  getComputedStyle(e).overflowX != 'visible').length"""

FOCUS = """(() => {
  const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
  return {tag: e.tagName, href: e.getAttribute('href') || '',
          seen: box.width > 1 && box.height > 1 && box.left >= 0 && box.top >= 0 && box.top < innerHeight &&
                style.outlineStyle != 'none' && parseFloat(style.outlineWidth) >= 1};
})()"""

CONTRAST = """(() => {
  const numbers = c => c.match(/[0-9.]+/g).map(Number);
  const light = c => { const [r, g, b] = numbers(c).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
      if (numbers(c)[3] !== 0) return c; } return 'rgb(255, 255, 255)'; };
  let worst = [21, ''];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.checkVisibility()) continue;
    const a = light(getComputedStyle(e).color), b = light(behind(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, e.textContent.slice(0, 40)];
  }
  return worst;
})()"""


class Browser:
    """Chromium, spoken to through two pipes: JSON, each message ended by a zero byte. No wait is without an end."""

    def __init__(self, program, profile, seconds):
        their_in, self.out = os.pipe()
        self.into, their_out = os.pipe()
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{their_in} 4>&{their_out}', "bash", program, *FLAGS, f"--user-data-dir={profile}"],
            pass_fds=(their_in, their_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(their_in)
        os.close(their_out)
        os.set_blocking(self.out, False)
        self.seconds, self.until, self.waits_for = seconds, 0, ""
        self.received, self.count, self.events, self.session = b"", 0, [], None

    def begin_wait(self, waits_for):
        self.until, self.waits_for = time.monotonic() + self.seconds, waits_for

    def check_time(self):
        if time.monotonic() > self.until:
            raise RuntimeError(f"the browser gives no {self.waits_for} within {self.seconds:g} s")

    def wait(self, read=(), write=()):
        select.select(read, write, (), max(0, self.until - time.monotonic()))
        self.check_time()

    def send(self, text):
        while text:
            self.wait(write=[self.out])
            try:
                text = text[os.write(self.out, text[: select.PIPE_BUF]) :]
            except BrokenPipeError:
                raise RuntimeError("the browser has ended") from None

    def message(self):
        self.check_time()
        while b"\0" not in self.received:
            self.wait(read=[self.into])
            more = os.read(self.into, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.received += more
        text, self.received = self.received.split(b"\0", 1)
        return json.loads(text)

    def close(self):
        self.session = None
        self.ask("Browser.close")
        self.process.wait(timeout=self.seconds)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=self.seconds)

    def ask(self, method, **params):
        self.count += 1
        request = {"id": self.count, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        self.begin_wait(f"answer to {method}")
        self.send(json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.count:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def wait_for(self, method):
        self.begin_wait(method)
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.message())

    def evaluate(self, script):
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def open(self, url, width):
        self.session = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.ask(f"{domain}.enable")
        self.resize(width)
        self.events.clear()
        self.ask("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def resize(self, width):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=1, mobile=False)

    def media(self, media="", scheme="light"):
        self.ask("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")  # as drawn

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode={"Tab": 9, "Enter": 13}[key])

    def picture(self, path):
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], PICTURE_HEIGHT), "scale": 1}
        shot = self.ask("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        Path(path).write_bytes(base64.b64decode(shot["data"]))


# ---- what is checked ----


def open_all(browser, is_open):
    browser.evaluate(f"document.querySelectorAll('details').forEach(d => d.open = {'true' if is_open else 'false'})")


def complaints(browser, page):
    for event in browser.events:
        params = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith("data:") and url.split("#")[0] != page.as_uri():
                yield f"asks for {url[:80]}"
        elif event.get("method") == "Log.entryAdded":
            yield f"the browser says: {params['entry']['text'][:120]}"
        elif event.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
            yield "a script has run"


def contrast(browser, scheme):
    browser.media(scheme=scheme)
    ratio, text = browser.evaluate(CONTRAST)
    if ratio < 4.5:
        yield f"'{text}' stands out {ratio:.1f} to 1 in {scheme}"


def on_screens(browser, base):
    browser.picture(f"{base}-wide.png")
    open_all(browser, True)
    browser.picture(f"{base}-open.png")
    yield from contrast(browser, "light")
    yield from contrast(browser, "dark")
    browser.picture(f"{base}-dark.png")
    browser.media()
    browser.resize(PHONE)
    browser.picture(f"{base}-phone.png")
    yield from (f"wider than a phone: {e}" for e in browser.evaluate(WIDER))
    open_all(browser, False)
    yield from (f"wider than a phone: {e}" for e in browser.evaluate(WIDER))
    browser.resize(WIDE)


def on_paper(browser, base):
    browser.media(media="print")
    closed, cut = browser.evaluate(CLOSED), browser.evaluate(CUT_OFF)
    if closed:
        yield f"{closed} parts of sections are not printed"
    if cut:
        yield f"{cut} tables are cut off on paper"
    browser.media()
    printed = browser.ask("Page.printToPDF", printBackground=False, preferCSSPageSize=True)
    Path(f"{base}.pdf").write_bytes(base64.b64decode(printed["data"]))


def by_keys(browser):
    sections = browser.evaluate("document.querySelectorAll('nav a').length")
    if not sections:
        return
    browser.key("Tab")
    focus = browser.evaluate(FOCUS)
    if focus["tag"] != "A" or not focus["seen"] or browser.evaluate("document.activeElement.closest('nav') != null"):
        yield f"the first key reaches {focus}, not a link past the contents that can be seen"
    browser.key("Tab")
    focus = browser.evaluate(FOCUS)
    if not focus["seen"]:
        yield f"the focus on {focus['tag']} cannot be seen"
    browser.evaluate("document.querySelector('nav a').click()")
    if not browser.evaluate("document.querySelector('details').open"):
        yield "a link to a section does not open it"


def look(browser, page):
    base = page.with_suffix("")
    browser.open(page.as_uri(), WIDE)
    browser.media()
    if browser.evaluate("document.scripts.length"):
        yield "has a script"
    yield from by_keys(browser)
    open_all(browser, False)
    browser.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    yield from on_screens(browser, base)
    yield from on_paper(browser, base)
    yield from complaints(browser, page)


def main():
    program, folder = sys.argv[1], Path(sys.argv[2]).resolve()
    pages = sorted(folder.glob("*.html"))
    wrong = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile, float(sys.argv[3]) if len(sys.argv) > 3 else SECONDS)
        try:
            for page in pages:
                for complaint in look(browser, page):
                    print(f"{page.name}: {complaint}")
                    wrong += 1
            browser.close()
        finally:
            browser.kill()
    print(f"{len(pages)} pages in {folder}, {wrong} complaints")
    return 1 if wrong or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
