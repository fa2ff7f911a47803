import Foundation
import LatchkeyCore
import LatchkeyLinux
import TestProcesses

/// A user's folders with desktop files and associations.
struct DesktopHome {
    let root = TemporaryFolder()

    var handlers: DesktopSchemeHandlers { DesktopSchemeHandlers(environment: environment) }

    var environment: [String: String] { Self.environment(in: root.path) }

    /// Returns the environment variables of a user whose folders are in another one.
    static func environment(in root: String) -> [String: String] {
        [
            "HOME": root, "XDG_DATA_HOME": root + "/data", "XDG_CONFIG_HOME": root + "/config",
            "XDG_DATA_DIRS": root + "/usr", "XDG_CONFIG_DIRS": root + "/etc",
            "PATH": "/usr/bin:/bin", "LANG": "nb_NO.UTF-8",
        ]
    }

    func write(_ text: String, as path: String) throws {
        let url = URL(filePath: root.file(path))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
    }

    /// Returns the contents of a file, or `nil` if there is none.
    func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: root.file(path)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns whether an error has a code.
    static func code(_ expected: LatchkeyError.Code) -> @Sendable (any Error) -> Bool {
        { ($0 as? LatchkeyError)?.code == expected }
    }
}
