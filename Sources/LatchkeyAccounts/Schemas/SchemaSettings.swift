package import LatchkeyServerKit

/// The settings of identity schemas.
public struct SchemaSettings: Sendable {
    /// The identity schema of flows that do not name one.
    public var standard = "customer"

    /// A folder of identity schemas, `ID.json` each, which add to the built-in ones or override them.
    ///
    /// `nil` uses only the built-in schemas. The files are read once, at the start of the server.
    ///
    /// An invalid schema prevents the start.
    public var folder: String?

    /// Creates the defaults.
    public init() {}

    /// The settings of the part.
    package static let settings: [Setting<SchemaSettings>] = [
        Setting(
            "identities.default_schema",
            member: \.standard,
            kind: .text,
            summary: "The identity schema of flows that specify none."
        ),
        Setting(
            "identities.schemas",
            member: \.folder,
            kind: .optional(.text),
            summary:
                "A folder of identity schemas, named ID.json, that add to or replace the built-in schemas."
        ),
    ]
}
