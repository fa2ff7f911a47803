package import LatchkeyServerKit

/// Settings that determine which identity schemas the server uses.
public struct SchemaSettings: Sendable {
    /// The identity schema for flows that don't specify one.
    public var standard = "customer"

    /// The path of a folder that contains identity schemas in files named `ID.json`.
    ///
    /// The schemas are added to the built-in schemas. A schema with the same id as a built-in schema replaces
    /// the built-in schema.
    ///
    /// If the path is `nil`, only the built-in schemas are used. The files are read once when the server
    /// starts. If a schema is invalid, the server doesn't start.
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
                "A folder of identity schemas, named ID.json, that extend or replace the built-in schemas."
        ),
    ]
}
