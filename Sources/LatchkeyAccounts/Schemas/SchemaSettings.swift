package import LatchkeyServerKit

/// The settings that select the identity schemas of the server.
public struct SchemaSettings: Sendable {
    /// The identity schema for flows that do not specify one.
    public var standard = "customer"

    /// A folder of identity schemas, named `ID.json`, that add to or replace the built-in schemas.
    ///
    /// If no folder is set, only the built-in schemas are used. The files are read once, when the server
    /// starts. The server does not start if a schema is invalid.
    public var folder: String?

    /// Creates settings with default values.
    public init() {}

    /// The configuration settings for identity schemas.
    package static let settings: [Setting<SchemaSettings>] = [
        Setting(
            "identities.default_schema",
            member: \.standard,
            kind: .text,
            summary: "The identity schema for flows that do not specify one."
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
