import Dispatch
public import LatchkeyCore
import LatchkeyModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Looks up the desktop's handlers for URL schemes in the user's files.
///
/// The lookup follows freedesktop.org's specifications "Association between MIME types and applications"
/// (1.0.1) and "Desktop Entry" (1.5). A scheme is handled if an installed app declares the type
/// `x-scheme-handler/<scheme>`, or if the user has associated the type with an installed app. The lookup does
/// not need a display or a session bus.
public struct DesktopSchemeHandlers: URLSchemeHandlers {
    private let folders: Folders

    /// Creates a lookup that uses the folders from the process's environment.
    public init() {
        self.init(environment: ProcessInfo.processInfo.environment)
    }

    /// Creates a lookup that uses the folders from an environment.
    ///
    /// The relevant variables are `XDG_CONFIG_HOME`, `XDG_CONFIG_DIRS`, `XDG_DATA_HOME`, `XDG_DATA_DIRS`,
    /// `XDG_CURRENT_DESKTOP` and `HOME`.
    public init(environment: [String: String]) {
        folders = Folders(environment: environment)
    }

    /// Returns whether an app is registered for a scheme.
    ///
    /// The files are read on another thread.
    public func isHandled(_ scheme: String) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [folders] in
                continuation.resume(returning: folders.handle(scheme: scheme.lowercased()))
            }
        }
    }
}

/// The folders that contain desktop files and associations, in order of precedence.
private struct Folders: Sendable {
    /// The maximum size of the files to read, in bytes.
    private static let sizeLimit = 4_194_304

    /// The folders with the `mimeapps.list` files of the user and the administrator.
    private let configuration: [String]
    /// The folders that contain desktop files and the distribution's associations.
    private let applications: [String]
    /// The names of the association files to read in each folder.
    private let listNames: [String]

    init(environment: [String: String]) {
        let home = environment["HOME"] ?? ""
        // Relative paths are invalid and must be ignored (Base Directory Specification).
        let paths = { (name: String, standard: String) -> [String] in
            let value = environment[name].flatMap { $0.isEmpty ? nil : $0 } ?? standard
            return value.split(separator: ":").map { String($0) }.filter { $0.hasPrefix("/") }
        }
        configuration =
            paths("XDG_CONFIG_HOME", home + "/.config") + paths("XDG_CONFIG_DIRS", "/etc/xdg")
        applications =
            (paths("XDG_DATA_HOME", home + "/.local/share")
            + paths("XDG_DATA_DIRS", "/usr/local/share:/usr/share")).map { $0 + "/applications" }
        let desktops = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":")
        listNames = desktops.map { $0.lowercased() + "-mimeapps.list" } + ["mimeapps.list"]
    }

    /// Returns whether an installed app handles a scheme.
    func handle(scheme: String) -> Bool {
        let type = "x-scheme-handler/" + scheme
        var removed: Set<String> = []
        for folder in configuration + applications {
            for name in listNames {
                guard let groups = groups(in: folder + "/" + name) else { continue }
                let added =
                    ids(groups["Default Applications"]?[type]) + ids(groups["Added Associations"]?[type])
                if added.contains(where: { !removed.contains($0) && isInstalled($0) }) { return true }
                removed.formUnion(ids(groups["Removed Associations"]?[type]))
            }
            guard applications.contains(folder) else { continue }
            for (id, types) in declaredTypes(in: folder) where types.contains(type) && !removed.contains(id) {
                // A file in a folder with higher precedence replaces files with the same id.
                if isInstalled(id) { return true }
            }
        }
        return false
    }

    /// Returns whether an app's desktop file exists and is not marked as deleted.
    private func isInstalled(_ id: String) -> Bool {
        for folder in applications {
            for path in Self.paths(of: id) {
                guard let groups = groups(in: folder + "/" + path) else { continue }
                return groups["Desktop Entry"]?["Hidden"] != "true"
            }
        }
        return false
    }

    /// Returns the possible paths of a desktop file.
    ///
    /// Each hyphen in the id may stand for a subfolder.
    private static func paths(of id: String) -> [String] {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        return (0..<min(parts.count, 4)).map { depth in
            parts.prefix(depth).joined(separator: "/") + (depth == 0 ? "" : "/")
                + parts.dropFirst(depth).joined(separator: "-")
        }
    }

    /// Returns the types that are declared by the desktop files in a folder and its direct subfolders, by
    /// file id.
    private func declaredTypes(in folder: String) -> [(id: String, types: Set<String>)] {
        let files = FileManager.default
        let names = ((try? files.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        let nested = names.filter { !$0.hasSuffix(".desktop") && !$0.contains(".") }.flatMap { subfolder in
            ((try? files.contentsOfDirectory(atPath: folder + "/" + subfolder)) ?? []).sorted()
                .map { subfolder + "/" + $0 }
        }
        return (names + nested).filter { $0.hasSuffix(".desktop") }.compactMap { path in
            guard let entry = groups(in: folder + "/" + path)?["Desktop Entry"] else { return nil }
            return (path.replacing("/", with: "-"), Set(ids(entry["MimeType"])))
        }
    }

    /// Splits a semicolon-separated list of ids or types.
    private func ids(_ list: String?) -> [String] {
        (list ?? "").split(separator: ";").map { String($0) }
    }

    /// Reads a file with groups of keys and values.
    ///
    /// Returns `nil` if the file cannot be read.
    private func groups(in path: String) -> [String: [String: String]]? {
        guard let bytes = try? Data(contentsOf: URL(filePath: path)), bytes.count <= Self.sizeLimit else {
            return nil
        }
        var groups: [String: [String: String]] = [:]
        var group = ""
        let lines = bytes.split(separator: UInt8(ascii: "\n")).compactMap { try? String(utf8: $0) }
        for line in lines.flatMap({ $0.split(whereSeparator: \.isNewline) }) {
            let text = line.drop { $0 == " " || $0 == "\t" }
            if text.hasPrefix("#") { continue }
            if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
                group = String(text[text.index(after: text.startIndex)..<end])
            } else if let equals = text.firstIndex(of: "=") {
                let key = text[..<equals].reversed().drop { $0 == " " }.reversed()
                let value = text[text.index(after: equals)...].drop { $0 == " " }
                // If a key occurs more than once, the first one is used.
                if groups[group, default: [:]][String(key)] == nil {
                    groups[group, default: [:]][String(key)] = String(value)
                }
            }
        }
        return groups
    }
}
