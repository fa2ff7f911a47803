"""The standard library and Foundation for Apple platforms, made from the toolchain for Linux.

The toolchain contains textual interfaces of the standard library, with Apple's `@available`. Foundation has none, but
the declarations of FoundationEssentials, its core, can be printed. Both compile for Apple targets after the repairs
below. The declarations that are left to us, of Foundation and of three system modules, are in the `.swiftinterface`
files of this folder.
"""

import hashlib
import json
import pathlib
import re
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parent
INFO = json.loads(subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True, text=True).stdout)
# The system that the toolchain's interfaces were printed for, and its libraries.
HOST = INFO["target"]["unversionedTriple"]
RESOURCES = pathlib.Path(INFO["paths"]["runtimeResourcePath"])
# The toolchain's programs, which are not all in the search path if only some of them were linked there.
TOOLS = RESOURCES.parent.parent / "bin"

# Modules with a textual interface, each after those that it imports.
STANDARD = [
    "Swift", "_Concurrency", "_RegexParser", "_StringProcessing", "_Builtin_float", "Synchronization", "Observation",
    "RegexBuilder", "SwiftOnoneSupport",
]

# Modules that are declared by hand. Dispatch and os are declared as far as the client uses them.
DECLARED = ["Darwin", "os", "Dispatch"]

# Repairs of the interfaces: the modules, a pattern, its replacement. A repair that changes nothing is an error.
REPAIRS = [
    # The interface names the system that it was printed for.
    (STANDARD, r"-target \S+", "-target {target}"),
    # It was printed for compilers that optimize, which takes longer and doesn't change the declarations.
    (["Swift"], r" -O ", " -Onone "),
    # The interface lacks the bodies of functions that are also deployed to older systems, but the compiler for Apple
    # targets requires a body. Without the attribute, such a function counts as new, like any other.
    (["Swift", "_Concurrency"], r"(?m)^ *@backDeployed\(.*\)\n", ""),
    # The C library of Linux doesn't exist for Apple targets.
    (["Synchronization", "Observation"], r"(?m)^import Glibc\n", ""),
    # On Linux, this function is imported from C. It returns the id of a thread to the implementation of `Mutex`.
    (["Synchronization"], r"\Z", "@usableFromInline internal func _swift_stdlib_gettid() -> Swift.UInt32\n"),
    # `Float80` exists only on Intel processors; inlinable code refers to two functions of C for it.
    (
        ["Swift"], r"\Z",
        "@usableFromInline internal func _stdlib_remainderl(_ x: Swift.Float80, _ y: Swift.Float80) -> Swift.Float80\n"
        "@usableFromInline @_transparent internal func _stdlib_squareRootl(_ x: Swift.Float80) -> Swift.Float80 "
        "{{ return x }}\n",
    ),
]

# Declarations of FoundationEssentials that are left out. The client must not use them: the compiler then doesn't know
# the name, and the message says that it was left out here.
LEFT_OUT = [
    # Macros and parameter packs are printed in a form that does not compile.
    r"\b(?:Predicate\w*|#Predicate|#?Expression)\b|Predicate",
    # Dynamic members and their key paths are printed without the generic context that they need.
    r"AttributedString|AttributeContainer|AttributeScope|AttributedSubstring|AttributeDynamicLookup",
    # Lifetimes are printed without the dependencies that the compiler requires. The oldest systems lack these types.
    r"\b(?:Raw|Mutable|MutableRaw|Output|OutputRaw)?Span\b",
    # Its initializers take a macro's expansion.
    r"URL\.Template",
]

HEADER = """\
// swift-interface-format-version: 1.0
// swift-compiler-version: {version}
// swift-module-flags: -target {target} -disable-objc-interop -enable-library-evolution -swift-version 6 -module-name {name}
import Swift
import _Concurrency
import _StringProcessing
"""


class LibraryError(Exception):
    """A repair that is not needed anymore, or an interface that does not compile."""


def run(tool, *arguments):
    """Returns the output of a program of the toolchain."""
    return subprocess.run([TOOLS / tool, *arguments], check=True, capture_output=True, text=True).stdout


class Library:
    """The compiled interfaces for one Apple target, in a folder of their own.

    A module is compiled again if its text or a module before it has changed.
    """

    def __init__(self, cache, target):
        self.target = target
        self.version = run("swiftc", "--version").splitlines()[0]
        self.folder = cache / target
        self.is_changed = False

    @property
    def flags(self):
        """The compiler's arguments for sources that use the library."""
        return [
            "-target", self.target, "-disable-objc-interop", "-I", str(self.folder),
            "-module-cache-path", str(self.folder / "cache"), "-resource-dir", str(self.folder / "resources"),
            "-plugin-path", str(RESOURCES / "host" / "plugins"),
        ]

    @property
    def left_out(self):
        """The heads of the declarations of Foundation that were left out."""
        return (self.folder / "left-out.txt").read_text().splitlines()

    def build(self):
        """Compiles what has changed. Returns a digest of all interfaces."""
        (self.folder / "resources").mkdir(parents=True, exist_ok=True)
        # Only the headers of the runtime: with the modules beside them, the compiler would find those for Linux.
        for name in ["shims", "clang"]:
            link = self.folder / "resources" / name
            if not link.exists():
                link.unlink(missing_ok=True)
                link.symlink_to(RESOURCES / name)
        digest = hashlib.sha256(self.version.encode())
        for name in STANDARD + DECLARED + ["Foundation"]:
            text = self.interface(name)
            digest.update(text.encode())
            self.compile(name, text)
        return digest.hexdigest()

    def interface(self, name):
        """Returns the text of a module's interface."""
        if name in STANDARD:
            path = RESOURCES / "linux" / f"{name}.swiftmodule" / f"{HOST}.swiftinterface"
            if not path.exists():
                raise LibraryError(f"the toolchain has no interface of {name} at {path}")
            return self.repaired(name, path.read_text())
        return self.foundation() if name == "Foundation" else self.declared(name)

    def compile(self, name, text):
        """Compiles the text of an interface, unless that was done before."""
        path, module = self.folder / f"{name}.swiftinterface", self.folder / f"{name}.swiftmodule"
        # The text ends with the arguments, because the module also depends on them.
        text += f"// {' '.join(self.flags)}\n"
        if not self.is_changed and module.exists() and path.exists() and path.read_text() == text:
            return
        self.is_changed = True
        module.unlink(missing_ok=True)
        path.write_text(text)
        # Bodies in these interfaces call newer functions behind checks that were removed when they were printed. What
        # a declaration says about its own availability stays.
        extra = ["-parse-stdlib"] if name == "Swift" else ["-disable-availability-checking"]
        result = subprocess.run(
            [TOOLS / "swift-frontend", "-compile-module-from-interface", str(path), "-module-name", name, "-o", str(module),
             *self.flags, *extra],
            capture_output=True, text=True,
        )
        if result.returncode != 0:
            raise LibraryError(f"the interface of {name} does not compile for {self.target}:\n{result.stderr[:4000]}")

    def repaired(self, name, text):
        """Returns the text of an interface of the toolchain after its repairs."""
        for modules, pattern, replacement in REPAIRS:
            if name not in modules:
                continue
            repaired = re.sub(pattern, replacement.format(target=self.target), text, count=0)
            if repaired == text:
                raise LibraryError(f"the repair {pattern!r} of {name} is not needed anymore")
            text = repaired
        return text

    def declared(self, name):
        """Returns the text of an interface that was written by hand."""
        header = HEADER.format(version=self.version, target=self.target, name=name)
        return header + (FOLDER / f"{name}.swiftinterface").read_text()

    def foundation(self):
        """Returns the printed declarations of FoundationEssentials, with those that only Foundation has."""
        printed = run("swift-synthesize-interface", "-module-name", "FoundationEssentials", "-target", HOST)
        kept, left_out = [], []
        for declaration in declarations(statements(printed)):
            declaration.select(kept, left_out)
        (self.folder / "left-out.txt").write_text("\n".join(left_out) + "\n")
        return self.declared("Foundation") + "\n".join(kept) + "\n"


def statements(printed):
    """Returns the lines of a printed module without imports and comments, with the accessors that are not printed."""
    printed = re.sub(r"/\*.*?\*/", "", printed, flags=re.S)
    modifiers = (
        r"public|open|static|class|final|mutating|nonmutating|override|unowned|nonisolated|"
        r"(?:internal|fileprivate|private)\(set\)"
    )
    # Properties and subscripts that can be set are printed without braces.
    settable = re.compile(rf"^\s*(?:@\w+(?:\([^)]*\))? )*(?:(?:{modifiers}) )+(?:var \w+: |subscript).*[^{{}}\s]\s*$")
    for line in printed.splitlines():
        if not line.strip() or line.lstrip().startswith(("//", "import ")):
            continue
        if settable.match(line):
            line += " { get }" if "(set)" in line else " { get set }"
        yield re.sub(r"(?:internal|fileprivate|private)\(set\) ", "", line)


class Declaration:
    """A declaration with its attributes, and the declarations inside its braces."""

    KEYWORD = re.compile(
        r"\b(?:var|let|func|init|subscript|case|struct|class|enum|actor|protocol|extension|typealias|macro|"
        r"associatedtype)\b"
    )

    def __init__(self):
        self.head, self.members, self.end = [], [], None

    def select(self, kept, left_out):
        """Appends the lines of the declaration, or its head to those that are left out."""
        head = " ".join(line.strip() for line in self.head)
        if any(re.search(pattern, head) for pattern in LEFT_OUT):
            left_out.append(head)
            return
        kept += self.head
        for member in self.members:
            member.select(kept, left_out)
        if self.end is not None:
            kept.append(self.end)


def declarations(lines):
    """Yields the declarations of a module or of a type, up to its closing brace."""
    lines = iter(lines)
    current = Declaration()
    for line in lines:
        opens = line.count("{") - line.count("}")
        if opens < 0:
            return
        current.head.append(line)
        if line.lstrip().startswith("@") and not Declaration.KEYWORD.search(line):
            continue
        if opens > 0:
            current.members = list(declarations(lines))
            current.end = "}"
        yield current
        current = Declaration()
