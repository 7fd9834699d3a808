"""What can be wrong with a file or with the program cpprof?"""


class CpprofError(Exception):
    """A file or a program that cannot be used: which one, what it is, what was expected, and what to do."""

    def __init__(self, subject, found, expected, advice):
        super().__init__(f"{subject}: {found}; expected {expected}; {advice}")
        self.subject, self.found, self.expected, self.advice = str(subject), found, expected, advice


class CpprofWarning(UserWarning):
    """The data can be read, but a part is missing or was added, as where a process died before its trace was closed."""
