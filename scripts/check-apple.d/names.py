"""The names of Foundation and of the system's libraries that the client's objects refer to."""

import collections
import json
import pathlib
import re
import subprocess
import tempfile

import library

MODULES = ["Foundation", *library.DECLARED]
PAGE = pathlib.Path("Documentation") / "apple-names.md"

# The names for which Apple requires a reason in the privacy manifest ("Describing use of required reason API").
REQUIRED_REASON = {
    "file timestamps": [
        "creationDate", "modificationDate", "fileModificationDate", "contentModificationDateKey", "creationDateKey",
        "contentModificationDate", "fileCreationDate", "getattrlist", "getattrlistbulk", "fgetattrlist",
        "getattrlistat", "stat", "fstat", "fstatat", "lstat",
    ],
    "system boot time": ["systemUptime", "mach_absolute_time"],
    "disk space": [
        "volumeAvailableCapacityKey", "volumeAvailableCapacityForImportantUsageKey", "volumeTotalCapacityKey",
        "volumeAvailableCapacityForOpportunisticUsageKey", "volumeAvailableCapacity", "volumeTotalCapacity",
        "volumeAvailableCapacityForImportantUsage", "volumeAvailableCapacityForOpportunisticUsage", "systemFreeSize",
        "systemSize", "statfs", "statvfs", "fstatfs", "fstatvfs",
    ],
    "active keyboards": ["activeInputModes"],
    "user defaults": ["UserDefaults", "NSUserDefaults"],
}

HEAD = """\
# Names of Apple's libraries

The objects of the client refer to these names of Foundation, of the system's modules and of the C library. `scripts/check-apple` generates this page from the objects for {systems}, and `scripts/check` fails if it differs. The {standard} names of the standard library and its runtime are not listed. The compiler has checked the availability of all of them.

None of these names is on Apple's list of names that require a reason in a privacy manifest; `scripts/check-apple` fails if one is.

| Type | Names | Available since |
|---|---|---|
"""


def page(platforms, client):
    """Returns the generated page."""
    swift, c, standard = set(), set(), set()
    for platform in platforms:
        objects = [str(platform.object(unit)) for unit in client]
        for symbol in undefined(objects) - defined(objects):
            name = symbol.removeprefix("_")
            if name.startswith("swift_") or name.startswith("$s") and not refers(name):
                standard.add(name)
            elif name.startswith("$s"):
                swift.add(name)
            else:
                c.add(name)
    entities = {entity for text in demangled(sorted(swift)) for entity in [readable(text)] if entity}
    since = availability(platforms[0].library)
    rows = collections.defaultdict(list)
    for module, path in sorted(entities):
        rows[(module, ".".join(path[:-1]), text_of(since, module, path))].append(path[-1])
    systems = ", ".join(f"{platform.name} {platform.version}" for platform in platforms)
    lines = [HEAD.format(systems=systems, standard=f"{len(standard):,}")]
    for (module, parent, introduced), members in rows.items():
        listed = ", ".join(f"`{member}`" for member in members)
        lines.append(f"| {f'{module}, `{parent}`' if parent else module} | {listed} | {introduced} |\n")
    lines.append(f"| the C library and the runtime | {', '.join(f'`{name}`' for name in sorted(c))} | always |\n")
    return "".join(lines)


def problems(page, root):
    """Returns a sentence for each name that requires a reason, and one if the page in the repository differs."""
    used = {re.sub(r"\(.*", "", name) for names in re.findall(r"`([^`]+)`", page) for name in names.split(".")}
    problems = [
        f"the client uses {name}, which requires a reason in a privacy manifest ({kind})"
        for kind, names in REQUIRED_REASON.items() for name in names if name in used
    ]
    stored = root / PAGE
    if not stored.exists() or page != stored.read_text():
        problems.append(f"{PAGE} differs from the objects; run scripts/check-apple --page > {PAGE}")
    return problems


def symbols(objects, option):
    """Returns the names in objects that llvm-nm lists with an option."""
    return set(library.run("llvm-nm", option, "--just-symbol-name", "--quiet", *objects).split())


def undefined(objects):
    """Returns the names that the objects refer to."""
    return symbols(objects, "--undefined-only")


def defined(objects):
    """Returns the names that the objects define."""
    return symbols(objects, "--defined-only")


def refers(name):
    """Returns whether a mangled name belongs to one of the modules."""
    return any(f"{len(module)}{module}" in name for module in MODULES)


def demangled(names):
    """Returns the readable forms of mangled names."""
    result = subprocess.run(
        [library.TOOLS / "swift-demangle", "-compact"], input="\n".join(names), check=True, capture_output=True, text=True,
    )
    return result.stdout.splitlines()


def readable(text):
    """Returns the module and the path of the declaration in a demangled name, or None if it belongs to other modules.

    Accessors, metadata and descriptors count as the declaration that they belong to.
    """
    # The arguments of generic types come before their members.
    while re.search(r"(?<=\w)<[^<>]*>(?=\.)", text):
        text = re.sub(r"(?<=\w)<[^<>]*>(?=\.)", "", text)
    text = re.sub(r"^enum case for (.*?)\(.*$", r"\1", text)
    text = re.sub(r"^(?:protocol conformance|base conformance|associated conformance) descriptor for ", "", text)
    text = re.sub(r"^.*? (?:descriptor|accessor|metadata|type) for ", "", text)
    text = re.sub(r"^.*? (?:thunk|pointer) (?:of|to) ", "", text)
    text = re.sub(r"^type metadata for |^static |^default argument \d+ of ", "", text)
    extension = re.match(r"\(extension in (\w+)\):(\w+)\.", text)
    text = re.sub(r"^\(extension in \w+\):", "", text)
    text = re.sub(r"\.(?:getter|setter|modify|read|deinit|__deallocating_deinit)\b.*$", "", text)
    match = re.match(r"(\w+)\.((?:[\w.]|\.)+?)(?: (?:infix|prefix|postfix))?(<.*?>)?(\(.*)?$", text.split(" : ")[0])
    operator = re.match(r"(\w+)\.((?:\w+\.)*)(\S+) infix\(", text)
    if operator:
        module, path = operator[1], [*operator[2].split(".")[:-1], f"{operator[3]}(_:_:)"]
    else:
        match = re.match(r"(\w+)\.([\w.]+)", text)
        if not match:
            return None
        module, path = match[1], match[2].replace("__allocating_init", "init").split(".")
        rest = re.sub(r"^<[^(]*>", "", text[match.end():])
        if rest.startswith("("):
            path[-1] += f"({labels(rest)})"
    if extension and module == "Swift":
        module, path = extension[1], path
    return (module, tuple(path)) if module in MODULES else None


def labels(parameters):
    """Returns the labels of a parameter list, such as `to:options:`."""
    depth, names, current = 0, [], ""
    for character in parameters:
        depth += character in "([<"
        depth -= character in ")]>" and not current.endswith("-")
        current += character
        if depth == 0 or depth == 1 and character == ",":
            names.append(current.strip("(), "))
            current = ""
        if depth == 0:
            break
    return "".join(
        (re.match(r"(\w+): ", name) or ["", "_"])[1] + ":" for name in names if name
    )


def availability(compiled):
    """Returns the versions that introduced each name of the modules, by module and path."""
    since = {}
    with tempfile.TemporaryDirectory() as folder:
        for module in MODULES:
            library.run(
                "swift-symbolgraph-extract", "-module-name", module, "-output-dir", folder, "-target", compiled.target,
                "-minimum-access-level", "public", "-I", str(compiled.folder),
                "-resource-dir", str(compiled.folder / "resources"),
                "-module-cache-path", str(compiled.folder / "cache"),
            )
        for file in pathlib.Path(folder).glob("*.json"):
            module = file.name.split("@")[0].removesuffix(".symbols.json")
            for symbol in json.loads(file.read_text())["symbols"]:
                versions = {
                    item["domain"]: (item["introduced"]["major"], item["introduced"].get("minor", 0))
                    for item in symbol.get("availability", [])
                    if "introduced" in item and item.get("domain") in ("iOS", "macOS", "tvOS", "watchOS")
                }
                known = since.setdefault((module, tuple(symbol["pathComponents"])), versions)
                # Of overloads, the newest counts.
                if versions.get("iOS", (0, 0)) > known.get("iOS", (0, 0)):
                    since[(module, tuple(symbol["pathComponents"]))] = versions
    return since


def text_of(since, module, path):
    """Returns the versions that introduced a name or the newest of the types around it."""
    found = [since.get((module, path[:length]), {}) for length in range(1, len(path) + 1)]
    newest = max(found, key=lambda versions: versions.get("iOS", (0, 0)))
    texts = [f"{system} {major}.{minor}" for system, (major, minor) in sorted(newest.items())]
    return ", ".join(texts) or "always"
