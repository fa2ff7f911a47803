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
        do {
            return try IdentityDraft(try patch.applied(to: try IdentityDraft.document(of: identity)))
        } catch let error as JSONPatch.Failure {
            throw ServerError.malformed(error.reason)
        }
    }
}
