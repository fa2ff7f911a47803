import Dispatch
import Foundation
import TestProcesses
import Testing

/// A script that writes down how it was started.
///
/// The script is started as an argument of the shell. A file that has just been written can't always be executed,
/// because a process that another test starts at this moment may have it open.
struct RecordedProgram {
    /// How a program was started.
    struct Start {
        let arguments: [String]
        let values: [String: String]
    }

    let folder = TemporaryFolder()

    /// The path of the script.
    let path: String

    init(named name: String = "record") throws {
        path = try folder.write(
            """
            folder="${0%/*}"
            for argument in "$@"; do printf '%s\\n' "$argument"; done > "$folder/arguments"
            values="identifier=$$
            session=$(cut -d ' ' -f 6 /proc/$$/stat)
            folder=$(pwd)
            input=$(readlink /proc/$$/fd/0)
            output=$(readlink /proc/$$/fd/1)
            errors=$(readlink /proc/$$/fd/2)
            descriptors=$(ls /proc/$$/fd | tr '\\n' ' ')
            variable=$LATCHKEY_VARIABLE"
            printf '%s\\n' "$values" > "$folder/draft"
            mv "$folder/draft" "$folder/values"

            """,
            as: name
        )
    }

    /// Waits until the script has been started.
    func start() async throws -> Start {
        let file = folder.file("values")
        #expect(await eventually { FileManager.default.fileExists(atPath: file) })
        let read = { (name: String) in
            try String(contentsOfFile: folder.file(name), encoding: .utf8).split(separator: "\n")
                .map { String($0) }
        }
        let values = try read("values").map { $0.split(separator: "=", maxSplits: 1).map { String($0) } }
        return Start(
            arguments: try read("arguments"),
            values: Dictionary(uniqueKeysWithValues: values.map { ($0[0], $0.count > 1 ? $0[1] : "") })
        )
    }
}

/// Polls until a condition is met, without blocking a thread.
func eventually(_ condition: @Sendable () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while !condition() {
        guard ContinuousClock.now < end else { return false }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2)) { continuation.resume() }
        }
    }
    return true
}
