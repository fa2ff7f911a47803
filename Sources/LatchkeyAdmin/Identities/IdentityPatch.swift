import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// A JSON patch (RFC 6902) for an identity.
///
/// A patch can only change members that operators are allowed to change.
struct IdentityPatch: Sendable {
    /// The top-level members that a patch may contain operations for.
    private static let open: Set<String> = [
        "schema_id", "state", "traits", "metadata_public", "metadata_admin", "external_id",
        "verifiable_addresses",
    ]

    private let patch: JSONPatch

    /// Whether the patch changes traits or addresses.
    let changesAddresses: Bool

    /// Reads a patch.
    ///
    /// - Parameter body: The array of patch operations.
    /// - Throws: ``ServerError`` with status 400 if the patch is malformed or refers to other members, such
    ///   as ids, timestamps or credentials.
    init(_ body: OrderedJSON) throws(ServerError) {
        do {
            patch = try JSONPatch(body)
        } catch {
            throw .malformed(error.reason)
        }
        changesAddresses = patch.writtenPlaces.contains { place in
            ["traits", "verifiable_addresses"].contains(place.steps.first)
        }
        for place in patch.places {
            guard let name = place.steps.first, Self.open.contains(name) else {
                throw .malformed(
                    "The JSON patch cannot change /\(place.steps.first ?? "")."
                )
            }
        }
    }

    /// Applies the patch to an identity and returns the result.
    ///
    /// The draft contains all properties of the identity, including those that the patch doesn't change. The
    /// draft never contains a password.
    ///
    /// - Throws: ``ServerError`` with status 400 if the patch cannot be applied or if the result is invalid.
    func draft(of identity: Identity) throws -> IdentityDraft {
        let document = try IdentityDraft.document(of: identity)
        do {
            let patched = try patch.applied(to: document)
            var draft = try IdentityDraft(try Self.onlyChangedAddresses(in: patched, since: document))
            // The patch may have removed these from the traits.
            draft.verifiable.removeAll(where: \.isBare)
            return draft
        } catch let error as JSONPatch.Failure {
            throw ServerError.malformed(error.reason)
        }
    }

    private static let addresses = "verifiable_addresses"

    /// Returns a document whose addresses have only the value and the members that the patch has changed.
    ///
    /// The unchanged members say that the address stays as it is. They would contradict the changed ones, for
    /// example if a patch changes `verified` but not `status`.
    ///
    /// - Throws: ``ServerError`` with status 400 if the patch adds or removes an address or one of its
    ///   members.
    private static func onlyChangedAddresses(
        in patched: OrderedJSON,
        since document: OrderedJSON
    ) throws(ServerError) -> OrderedJSON {
        guard
            case .object(let members) = patched, case .array(let old)? = document[addresses],
            case .array(let new)? = patched[addresses], new.count == old.count
        else { throw .malformed("Addresses in /\(addresses) can only be added and removed in the traits.") }
        var changed: [OrderedJSON] = []
        for (index, (before, after)) in zip(old, new).enumerated() {
            changed.append(try Self.changes(from: before, to: after, at: "/\(addresses)/\(index)"))
        }
        let kept = members.filter { $0.name != addresses }
        return .object(kept + [OrderedJSON.Member(name: addresses, value: .array(changed))])
    }

    /// Returns the value of an address and its changed members.
    private static func changes(
        from before: OrderedJSON,
        to after: OrderedJSON,
        at place: String
    ) throws(ServerError) -> OrderedJSON {
        guard case .object(let old) = before, case .object(let new) = after else {
            throw .malformed("The member \(place) must be a JSON object.")
        }
        guard before["value"] == after["value"] else {
            throw .malformed("The member \(place)/value can only be changed in the traits.")
        }
        let isWithdrawn = before["verified"] != after["verified"]
        for member in old where after[member.name] ?? .null == .null {
            // Without its verification, an address has no date of it.
            guard member.name == "verified_at", isWithdrawn else {
                throw .malformed("The member \(place)/\(member.name) cannot be removed.")
            }
        }
        return .object(new.filter { $0.name == "value" || before[$0.name] != $0.value })
    }
}
