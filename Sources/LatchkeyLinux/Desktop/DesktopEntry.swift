import Glibc
import LatchkeyCore

/// An installed app, as its desktop file describes it (Desktop Entry Specification 1.5).
struct DesktopEntry {
    /// The path of the desktop file.
    let path: String

    private let values: [String: String]
    private let environment: [String: String]

    /// Reads an app's file.
    ///
    /// Returns `nil` if the app is marked as deleted, has no command, or its program isn't installed.
    init?(_ file: KeyFile, path: String, environment: [String: String]) {
        guard let values = file["Desktop Entry"], values["Hidden"] != "true", values["Exec"] != nil else {
            return nil
        }
        (self.path, self.values, self.environment) = (path, values, environment)
        if let program = string("TryExec"), InstalledProgram(program, environment: environment) == nil {
            return nil
        }
    }

    private func string(_ key: String) -> String? { values[key].flatMap { KeyFile.unescaped($0) } }

    /// The app's name in the user's language.
    var name: String {
        for locale in locales {
            if let name = string("Name[\(locale)]") { return name }
        }
        return string("Name") ?? ""
    }

    /// The suffixes of localized keys for the user's language, in order of precedence.
    private var locales: [String] {
        let values = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }
        guard let value = values.first(where: { !$0.isEmpty }) else { return [] }
        let parts = value.split(separator: "@", maxSplits: 1)
        let modifier = parts.count > 1 ? "@\(parts[1])" : ""
        let territory = String((parts.first ?? "").prefix { $0 != "." })
        let language = String(territory.prefix { $0 != "_" })
        return [territory + modifier, territory, language + modifier, language]
    }

    /// Returns the command that starts the app with a URL as one of its arguments.
    ///
    /// - Throws: `LatchkeyError` with the code `noPresenter` if the command is malformed, or its program isn't
    ///   installed.
    func command(opening url: String) throws(LatchkeyError) -> AppCommand {
        let line: ExecLine
        do throws(ExecLine.Malformed) {
            guard let text = string("Exec") else { throw .escape }
            line = try ExecLine(text)
        } catch {
            throw AppCommand.failure(path, "has a malformed command: \(error)")
        }
        guard let program = InstalledProgram(line.program, environment: environment) else {
            throw AppCommand.failure(path, "starts a program that isn't installed, \(line.program)")
        }
        return AppCommand(
            path: path,
            program: program,
            arguments: line.arguments(opening: url, name: name, icon: string("Icon") ?? "", path: path),
            folder: string("Path").flatMap { $0.isEmpty ? nil : $0 },
            needsTerminal: values["Terminal"] == "true"
        )
    }
}
