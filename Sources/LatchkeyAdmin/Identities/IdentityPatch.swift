import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit

/// A change to an identity in the form of a JSON patch (RFC 6902), limited to the members that operators may
/// change.
struct IdentityPatch: Sendable {
    /// The top-level members that the operations of a patch may refer to.
    private static let open: Set<String> = [
        "schema_id", "state", "traits", "metadata_public", "metadata_admin", "external_id",
        "verifiable_addresses",
    ]

    private let patch: JSONPatch

    /// Whether the patch changes traits or addresses, rather than only the state or metadata.
    let changesAddresses: Bool

    /// Reads a patch.
    ///
    /// - Parameter body: The array of patch operations.
    /// - Throws: ``ServerError`` with status 400 for a malformed patch, or a patch that refers to other
    ///   members such as ids, timestamps or credentials.
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

    /// Returns the properties of an identity after the patch.
    ///
    /// The draft contains all properties of the result, including unchanged ones, but never a password.
    ///
    /// - Throws: ``ServerError`` with status 400 if the patch cannot be applied or its result is invalid.
    func draft(of identity: Identity) throws -> IdentityDraft {
        do {
            return try IdentityDraft(try patch.applied(to: try IdentityDraft.document(of: identity)))
        } catch let error as JSONPatch.Failure {
            throw ServerError.malformed(error.reason)
        }
    }
}
