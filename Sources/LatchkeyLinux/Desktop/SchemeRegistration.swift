import Glibc
import LatchkeyCore

/// The files that make a program the user's default handler for a scheme.
struct SchemeRegistration {
    private let scheme: PrivateUseScheme
    private let folder: String
    private let list: String

    /// The id of the desktop file, which differs from the ids of the app's own desktop files.
    private var id: String { scheme.text + "-handler.desktop" }

    private var path: String { folder + "/" + id }

    /// - Throws: `LatchkeyError` with the code `storageFailed` if the user has no home.
    init(_ scheme: PrivateUseScheme, in folders: DesktopFolders) throws(LatchkeyError) {
        guard let folder = folders.ownApplications, let list = folders.ownList else {
            throw LatchkeyError(
                .storageFailed,
                message: "There is no folder for the user's apps. Set HOME to an absolute path."
            )
        }
        (self.scheme, self.folder, self.list) = (scheme, folder, list)
    }

    /// Writes the files, unless they have the right contents already.
    func add(
        name: String,
        program: String,
        arguments: [String],
        needsTerminal: Bool
    ) throws(LatchkeyError) {
        let texts = [name, program] + arguments
        guard program.hasPrefix("/"), !program.contains("="), !texts.contains(where: { $0.utf8.contains(0) })
        else {
            throw LatchkeyError(
                .invalidInput,
                message: "A desktop file can't start this program. Its path must be absolute, without \"=\"."
            )
        }
        let command = ExecLine.text(program: program, arguments: arguments)
        let entry = """
            [Desktop Entry]
            Type=Application
            Name=\(KeyFile.escaped(name))
            Exec=\(KeyFile.escaped(command))
            NoDisplay=true\(needsTerminal ? "\nTerminal=true" : "")
            MimeType=\(scheme.mediaType);

            """
        try ReplacedFile(path).update { _ in Array(entry.utf8) }
        try ReplacedFile(list).update { bytes in
            MimeAssociations.adding(default: id, for: scheme.mediaType, to: bytes ?? [])
        }
    }

    /// Removes the desktop file, and the association with it.
    func remove() throws(LatchkeyError) {
        try ReplacedFile(list).update { bytes in
            bytes.map { MimeAssociations.removing(default: id, for: scheme.mediaType, from: $0) }
        }
        guard unlink(path) == 0 || errno == ENOENT else { throw ReplacedFile(path).failure("removed") }
    }
}
