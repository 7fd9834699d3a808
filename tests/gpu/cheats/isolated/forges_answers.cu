/* cheat softmax: does nothing, and overwrites the function through which the answers of the judge come: all is right
 * Kind: judge
 * Follows: gpu-mode/pygpubench#23 (a forged signature); gpu-mode/pygpubench/exploits: pipe_interpose,
 * aes_key_recovery, seccomp_trap
 * Found by: --isolate */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/runner/judge/judge_message.h"
#include "tests/gpu/cheats/softmax.cuh"

static ssize_t hear_what_pleases(int socket, void *to, size_t bytes, int flags)
{
    const ssize_t got = recvfrom(socket, to, bytes, flags, NULL, NULL);
    if (got == (ssize_t)sizeof(struct judge_reply)) {
        struct judge_reply *reply = (struct judge_reply *)to;
        reply->result.bad_ratio = 0;
        reply->result.max_abs_err = 0;
        reply->result.mismatch_count = 0;
        reply->result.hint[0] = '\0';
    }
    return got;
}

static void patch(void *function)
{
    unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; /* mov rax, ...; jmp rax */
    const uintptr_t to = (uintptr_t)hear_what_pleases, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)function & ~(page - 1);
    memcpy(jump + 2, &to, sizeof to);
    if (!mprotect((void *)first, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC))
        memcpy(function, jump, sizeof jump);
}

static int prepare(const struct cpprof_config *, void **)
{
    static bool is_patched;
    if (!is_patched)
        patch(dlsym(RTLD_DEFAULT, "recv"));
    is_patched = true;
    return 0;
}

static int launch(void *, const struct cpprof_call *)
{
    return 0;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare);
