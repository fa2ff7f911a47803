import Foundation
import LatchkeyLinux
import TestProcesses
import Testing

@Suite struct `Desktop handlers for URL schemes` {
    /// The files in a user's folders, by path.
    private static func isHandled(
        _ scheme: String = "onside",
        files: [String: String],
        environment: [String: String] = [:]
    ) async throws -> Bool {
        let root = TemporaryFolder()
        for (path, text) in files {
            let url = URL(filePath: root.path + "/" + path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: url)
        }
        let standard = [
            "HOME": root.path, "XDG_DATA_HOME": root.path + "/data", "XDG_CONFIG_HOME": root.path + "/config",
            "XDG_DATA_DIRS": root.path + "/usr", "XDG_CONFIG_DIRS": root.path + "/etc",
        ]
        let values = environment.mapValues { $0.replacing("ROOT", with: root.path) }
        return await DesktopSchemeHandlers(environment: standard.merging(values) { $1 }).isHandled(scheme)
    }

    private static let app = "[Desktop Entry]\nType=Application\nName=Store\nExec=store %u\n"
    private static let store = app + "MimeType=text/html;x-scheme-handler/onside;\n"

    @Test(arguments: [
        // The type is declared by a desktop file.
        (["data/applications/store.desktop": store], true),
        (["usr/applications/store.desktop": store], true),
        (["data/applications/org/store.desktop": store], true),
        (["data/applications/store.desktop": app], false),
        (["data/applications/store.txt": store], false),
        (["config/store.desktop": store], false),
        ([:], false),
        // The type is associated with an app in `mimeapps.list`.
        (
            [
                "usr/applications/store.desktop": app,
                "config/mimeapps.list": "[Default Applications]\nx-scheme-handler/onside=store.desktop\n",
            ], true
        ),
        (
            [
                "usr/applications/org/store.desktop": app,
                "data/applications/mimeapps.list":
                    "# A comment\n[Added Associations]\n x-scheme-handler/onside = gone.desktop;org-store.desktop;\n",
            ], true
        ),
        (["config/mimeapps.list": "[Default Applications]\nx-scheme-handler/onside=gone.desktop\n"], false),
        (
            [
                "usr/applications/store.desktop": app,
                "config/mimeapps.list": "[Other]\nx-scheme-handler/onside=store.desktop\n",
            ], false
        ),
        // The user has removed the association.
        (
            [
                "usr/applications/store.desktop": store,
                "config/mimeapps.list": "[Removed Associations]\nx-scheme-handler/onside=store.desktop;\n",
            ], false
        ),
        (
            [
                "usr/applications/store.desktop": store, "usr/applications/other.desktop": store,
                "config/mimeapps.list": "[Removed Associations]\nx-scheme-handler/onside=store.desktop;\n",
            ], true
        ),
        // The user has hidden the app with a file that overrides the system's file.
        (
            [
                "usr/applications/store.desktop": store,
                "data/applications/store.desktop": "[Desktop Entry]\nHidden=true\n",
            ], false
        ),
    ])
    func `A scheme is handled if an installed app is associated with it`(
        _ files: [String: String],
        _ isHandled: Bool
    ) async throws {
        #expect(try await Self.isHandled(files: files) == isHandled)
    }

    @Test(arguments: [("onside", true), ("ONSIDE", true), ("onside2", false), ("on", false), ("", false)])
    func `Only the exact scheme is handled, in upper or lower case`(_ scheme: String, _ isHandled: Bool)
        async throws
    {
        #expect(
            try await Self.isHandled(scheme, files: ["data/applications/store.desktop": Self.store])
                == isHandled
        )
    }

    @Test func `The lists of the current desktop are read, but relative folders are not`() async throws {
        let list = "[Default Applications]\nx-scheme-handler/onside=store.desktop\n"
        let files = ["usr/applications/store.desktop": Self.app, "config/kde-mimeapps.list": list]

        #expect(try await Self.isHandled(files: files) == false)
        #expect(try await Self.isHandled(files: files, environment: ["XDG_CURRENT_DESKTOP": "X:KDE"]))
        #expect(
            try await Self.isHandled(
                files: ["data/applications/store.desktop": Self.store],
                environment: ["XDG_DATA_HOME": "data", "XDG_DATA_DIRS": "relative"]
            ) == false
        )
    }

    @Test func `Without environment variables, folders in the user's home are read`() async throws {
        let files = [".local/share/applications/store.desktop": Self.store]

        #expect(
            try await Self.isHandled(files: files, environment: ["XDG_DATA_HOME": "", "XDG_CONFIG_HOME": ""])
        )
    }
}
