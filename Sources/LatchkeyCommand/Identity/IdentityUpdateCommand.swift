import LatchkeyAdmin
import LatchkeyWire

/// Changes an identity's traits and metadata.
///
/// This is a command for operators.
struct IdentityUpdateCommand: Subcommand {
    /// The name of each metadata flag, and the member of the identity that the flag sets.
    private static let metadata = [
        ("metadata-public", "metadata_public"), ("metadata-admin", "metadata_admin"),
    ]

    let syntax = Syntax(
        name: "identity update",
        summary: "change an identity's traits and metadata",
        details: [OperatorOptions.detail, "A changed address must be verified again."],
        operands: ["IDENTITY"],
        options: TraitFlags.all + [
            Option(
                "metadata-public",
                value: "JSON",
                help: "Metadata visible to everyone who can see the identity; null removes it."
            ),
            Option(
                "metadata-admin",
                value: "JSON",
                help: "Metadata visible only to operators; null removes it."
            ),
            Option(
                "external-id",
                value: "TEXT",
                help: "The identity's ID in another system; an empty string removes it."
            ),
        ] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("identity update user@example.com --phone +439999999999", "Change the phone number"),
            (
                "identity update 9a8cbfb3-87bd-4087-b48d-2569b1b43386 --metadata-admin {\"plan\":\"gold\"}",
                "Set metadata for operators"
            ),
        ]
    )

    /// Changes the identity with a single JSON patch and prints the result.
    ///
    /// The command reads the identity's traits, merges the given flags into them, and then replaces all
    /// traits. If another client changes the traits in the meantime, the other client's change is lost.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if there are no flags or a flag is invalid,
    ///   `failed` if the identity doesn't exist, or `refused` if the traits are invalid or conflict with
    ///   another identity.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let name = arguments.operands[0]
        var changes: [(member: String, value: JSONValue)] = []
        for (flag, member) in Self.metadata {
            if let value = try TraitFlags.json(of: flag, in: arguments) { changes.append((member, value)) }
        }
        if let externalID = arguments["external-id"] {
            changes.append(("external_id", externalID.isEmpty ? .null : .string(externalID)))
        }
        let changesTraits = TraitFlags.all.contains { arguments[$0.name] != nil }
        guard changesTraits || !changes.isEmpty else {
            throw CommandFailure(.usage, message: "no changes were given")
        }
        let others = changes
        let identity = try await AdminClient.withClient(for: arguments, console: console) { client in
            let before = try await client.identity(named: name)
            var changes = others
            if changesTraits {
                let traits = try TraitFlags.merge(arguments, into: before["traits"] ?? .object([:]))
                changes.append(("traits", traits))
            }
            let patch = changes.map { change in
                JSONValue.object([
                    "op": .string("add"), "path": .string("/" + change.member), "value": change.value,
                ])
            }
            let path = AdminRoute.identities + "/" + (before["id"]?.text ?? "")
            return try await client.send(.patch, path: path, body: .array(patch))
        }
        console.write(identity, asJSON: arguments.has("json"), format: OperatorText.identity)
    }
}
