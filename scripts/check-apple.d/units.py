"""What of the client is compiled for Apple platforms, and with which arguments of the compiler."""

import json
import os
import re
import subprocess

import library


class Unit:
    """Files that become one module and one object."""

    def __init__(self, name, files, dependencies, arguments, is_program=False):
        self.name, self.files, self.dependencies = name, files, dependencies
        self.arguments, self.is_program = arguments, is_program

    @property
    def module(self):
        """The name of the module."""
        return re.sub(r"\W", "_", self.name)

    def flags(self, platform):
        """Returns the compiler's arguments for a platform."""
        flags = ["-module-name", self.module, "-warnings-as-errors"]
        flags += [] if self.is_program else ["-parse-as-library"]
        for condition, arguments in self.arguments:
            if condition is None or platform.lower() in condition:
                flags += arguments
        return flags


def client(root):
    """Returns all targets of the client except tests, the snippets and the README's first example, dependencies first.

    Fails if the manifest contains anything else without the server, such as a C library.
    """
    package = manifest(root)
    targets = {target["name"]: target for target in package["targets"]}
    others = [name for name, target in targets.items() if target["type"] not in ("regular", "test")]
    others += [name for name in targets if name.startswith(("LatchkeyServer", "LatchkeyLinux", "LatchkeyTestKit"))]
    if others:
        raise SystemExit(f"check-apple: the client has targets that apps must not see: {', '.join(others)}")
    units, done = [], set()

    def add(name):
        if name in done:
            return
        done.add(name)
        dependencies = [list(dependency.values())[0][0] for dependency in targets[name]["dependencies"]]
        for dependency in dependencies:
            add(dependency)
        folder = root / (targets[name].get("path") or f"Sources/{name}")
        reached = {reached for unit in units if unit.name in dependencies for reached in unit.dependencies}
        arguments = [setting(settings) for settings in targets[name]["settings"]]
        if targets[name]["packageAccess"]:
            arguments.append((None, ["-package-name", package["name"]]))
        units.append(Unit(name, swift_files(folder), sorted({*dependencies, *reached}), arguments))

    for name, target in targets.items():
        if target["type"] == "regular":
            add(name)
    # Snippets and the README use what apps can use.
    products = sorted({name for product in package["products"] for name in product["targets"]})
    programs = [(path.stem, path) for path in sorted((root / "Snippets").glob("*.swift"))]
    programs.append(("README", example(root)))
    app = [(None, ["-swift-version", "6"])]
    return units + [Unit(f"Snippet-{name}", [path], products, app, is_program=True) for name, path in programs]


def manifest(root):
    """Returns the package as app projects on other systems see it, without the server."""
    environment = {**os.environ, "LATCHKEY_SERVER": "0"}
    environment.pop("WARNINGS_AS_ERRORS", None)
    output = subprocess.run(
        [library.TOOLS / "swift", "package", "--scratch-path", str(root / ".build" / "apple" / "package"), "dump-package"],
        check=True, capture_output=True, text=True, cwd=root, env=environment,
    ).stdout
    return json.loads(output)


def setting(settings):
    """Returns the platforms of a setting, or None for all, and its arguments of the compiler."""
    condition = settings.get("condition")
    (kind, values), = settings["kind"].items()
    value = values.get("_0")
    arguments = {
        "swiftLanguageMode": ["-swift-version", value],
        "enableUpcomingFeature": ["-enable-upcoming-feature", value],
        "define": [f"-D{value}"],
        "defaultIsolation": ["-default-isolation", value],
        "treatWarning": ["-Werror", value],
    }[kind]
    return (condition["platformNames"] if condition else None), arguments


def swift_files(folder):
    """Returns the Swift files of a folder, which may be a symbolic link."""
    return sorted(folder.resolve().rglob("*.swift"))


def example(root):
    """Writes the README's first example, as a program of its own, and returns its path.

    The lines have the same numbers as in the README.
    """
    before, code = re.search(r"(.*?)```swift\n(.*?)```", (root / "README.md").read_text(), re.S).groups()
    # The example leaves open where the user types the passcode.
    lines = [""] * before.count("\n") + ['let passcode = "246810"', code]
    path = root / ".build" / "apple" / "README.swift"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines))
    return path


def unlisted(units, root):
    """Returns the modules of the client that the table of levels does not list."""
    page = (root / "Documentation" / "apple-platforms.md").read_text()
    sources = [unit.name for unit in units if unit.files and unit.files[0].is_relative_to(root / "Sources")]
    return [
        f"Documentation/apple-platforms.md does not say which level {name} has reached"
        for name in sources if f"| `{name}` |" not in page
    ]
