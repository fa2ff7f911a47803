#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The folders that contain desktop files and associations, in order of precedence.
struct DesktopFolders: Sendable {
    /// The folders with the `mimeapps.list` files of the user and the administrator.
    private let configuration: [String]
    /// The folders that contain desktop files and the distribution's associations.
    private let applications: [String]
    /// The names of the association files to read in each folder.
    private let listNames: [String]
    private let environment: [String: String]

    /// The user's own folder of desktop files, or `nil` if the user has no home.
    let ownApplications: String?
    /// The user's own file of associations, or `nil` if the user has no home.
    let ownList: String?

    init(environment: [String: String]) {
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        // Relative paths are invalid and must be ignored (Base Directory Specification).
        let paths = { (name: String, standard: String?) -> [String] in
            let value = environment[name].flatMap { $0.isEmpty ? nil : $0 } ?? standard ?? ""
            return value.split(separator: ":").map { String($0) }.filter { $0.hasPrefix("/") }
        }
        let configurationHome = paths("XDG_CONFIG_HOME", home.map { $0 + "/.config" })
        let dataHome = paths("XDG_DATA_HOME", home.map { $0 + "/.local/share" })
        configuration = configurationHome + paths("XDG_CONFIG_DIRS", "/etc/xdg")
        applications = (dataHome + paths("XDG_DATA_DIRS", "/usr/local/share:/usr/share"))
            .map { $0 + "/applications" }
        ownApplications = dataHome.first.map { $0 + "/applications" }
        ownList = configurationHome.first.map { $0 + "/mimeapps.list" }
        let desktops = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":")
        listNames = desktops.map { $0.lowercased() + "-mimeapps.list" } + ["mimeapps.list"]
        self.environment = environment
    }

    /// Returns the installed app that handles a scheme, which is in lower case.
    ///
    /// - Parameters:
    ///   - scheme: The scheme.
    ///   - preferred: The ids of the apps that come before all others, if they are associated with the scheme.
    /// - Returns: The app, or `nil` if there is none.
    func handler(ofScheme scheme: String, preferring preferred: [String] = []) -> DesktopEntry? {
        let associated = ids(ofType: "x-scheme-handler/" + scheme)
        return (preferred.filter { associated.contains($0) } + associated).lazy.compactMap(installed).first
    }

    /// Returns the ids of the apps that are associated with a type, in order of precedence.
    ///
    /// The apps that are set as the default come first, then those that are associated with the type by a user or an
    /// administrator, or declare it themselves.
    private func ids(ofType type: String) -> [String] {
        var removed: Set<String> = []
        var defaults: [String] = []
        var others: [String] = []
        for folder in configuration + applications {
            for name in listNames {
                guard let list = MimeAssociations(contentsOf: folder + "/" + name) else { continue }
                let isAllowed = { (id: String) in !removed.contains(id) }
                defaults += list.defaults(type).filter(isAllowed)
                others += list.added(type).filter(isAllowed)
                removed.formUnion(list.removed(type))
            }
            guard applications.contains(folder) else { continue }
            others += ids(in: folder, declaring: type).filter { !removed.contains($0) }
        }
        return defaults + others
    }

    /// Returns an app, or `nil` if it isn't installed or can't be started.
    ///
    /// A file in a folder with higher precedence replaces files with the same id.
    private func installed(_ id: String) -> DesktopEntry? {
        for folder in applications {
            for path in Self.paths(of: id) {
                guard let file = KeyFile(contentsOf: folder + "/" + path) else { continue }
                return DesktopEntry(file, path: folder + "/" + path, environment: environment)
            }
        }
        return nil
    }

    /// Returns the possible paths of a desktop file.
    ///
    /// Each hyphen in the id may stand for a subfolder.
    private static func paths(of id: String) -> [String] {
        // The id is the name of a file in one of the folders.
        guard !id.contains("/") else { return [] }
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        return (0..<min(parts.count, 4)).map { depth in
            parts.prefix(depth).joined(separator: "/") + (depth == 0 ? "" : "/")
                + parts.dropFirst(depth).joined(separator: "-")
        }
    }

    /// Returns the ids of the desktop files in a folder and its direct subfolders that declare a type.
    private func ids(in folder: String, declaring type: String) -> [String] {
        let files = FileManager.default
        let names = ((try? files.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        let nested = names.filter { !$0.hasSuffix(".desktop") && !$0.contains(".") }.flatMap { subfolder in
            ((try? files.contentsOfDirectory(atPath: folder + "/" + subfolder)) ?? []).sorted()
                .map { subfolder + "/" + $0 }
        }
        return (names + nested).filter { path in
            path.hasSuffix(".desktop")
                && KeyFile.list(KeyFile(contentsOf: folder + "/" + path)?["Desktop Entry"]?["MimeType"])
                    .contains(type)
        }.map { $0.replacing("/", with: "-") }
    }
}
