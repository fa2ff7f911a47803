"""Checks of the check: each file in the folder faults has a fault that must be reported at its line."""

import concurrent.futures
import os
import re
import subprocess

import library

FOLDER = library.FOLDER / "faults"


def unreported(platform, client):
    """Returns a sentence for each fault that is not reported as its file says.

    The line with the fault ends with a comment, `// fault:` and a part of the expected message.
    """
    files = sorted(FOLDER.glob("*.swift"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda path: problem(path, platform, client), files))
    problems = [result for result in results if result]
    print(f"check-apple: {len(files) - len(problems)} of {len(files)} planted faults are reported")
    return problems


def problem(path, platform, client):
    """Returns a sentence if the fault in a file is not reported."""
    lines = path.read_text().splitlines()
    (number, text), = [
        (number, line.split("// fault: ")[1]) for number, line in enumerate(lines, 1) if "// fault: " in line
    ]
    # A fault is compiled as a module of the client is, but for its name.
    flags = next(unit for unit in client if unit.name == "LatchkeyTerminal").flags(platform.name)
    flags[flags.index("-module-name") + 1] = "Fault"
    # Some faults are found after the types were checked, on the way to an object.
    result = subprocess.run(
        [library.TOOLS / "swift-frontend", "-c", "-o", os.devnull, *platform.library.flags, "-I", str(platform.folder), *flags,
         str(path)],
        capture_output=True, text=True,
    )
    expected = re.compile(rf":{number}:\d+: (?:error|warning): .*{re.escape(text)}")
    if expected.search(result.stderr):
        return None
    return f"the fault in {path.name} is not reported at line {number} as {text!r}:\n{result.stderr}"

