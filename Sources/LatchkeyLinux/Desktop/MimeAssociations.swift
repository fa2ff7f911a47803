/// A file with associations between types and apps (Association between MIME types and applications 1.0.1).
struct MimeAssociations {
    private static let defaultGroup = "Default Applications"

    private let file: KeyFile

    /// Reads a file.
    ///
    /// Returns `nil` if the file cannot be read.
    init?(contentsOf path: String) {
        guard let file = KeyFile(contentsOf: path) else { return nil }
        self.file = file
    }

    /// Returns the ids of the apps that are set as the default for a type, in order of preference.
    func defaults(_ type: String) -> [String] { KeyFile.list(file[Self.defaultGroup]?[type]) }

    /// Returns the ids of the apps that are associated with a type.
    func added(_ type: String) -> [String] { KeyFile.list(file["Added Associations"]?[type]) }

    /// Returns the ids of the apps that declare a type, but aren't associated with it.
    func removed(_ type: String) -> [String] { KeyFile.list(file["Removed Associations"]?[type]) }
}
