import Foundation
import LatchkeyCore
import LatchkeyLinux
import TestProcesses

/// A user's folders with desktop files and associations.
struct DesktopHome {
    let root = TemporaryFolder()

    var handlers: DesktopSchemeHandlers {
        DesktopSchemeHandlers(environment: [
            "HOME": root.path, "XDG_DATA_HOME": root.path + "/data", "XDG_CONFIG_HOME": root.path + "/config",
            "XDG_DATA_DIRS": root.path + "/usr", "XDG_CONFIG_DIRS": root.path + "/etc",
            "PATH": "/usr/bin:/bin", "LANG": "nb_NO.UTF-8",
        ])
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
