import LatchkeyModel

/// Changes to an identity as an operator writes them: a JSON patch of what may be changed.
struct IdentityPatch: Sendable {
    private static let open: Set<String> = [
        "schema_id", "state", "traits", "metadata_public", "metadata_admin", "external_id",
        "verifiable_addresses",
    ]

    private let patch: JSONPatch

    /// Whether it changes traits or addresses, and not only state or metadata.
    let namesAddresses: Bool

    /// Reads a patch.
    ///
    /// - Throws: 400 for what is none, and for places that are not the operator's: ids, times, credentials.
    init(_ body: OrderedJSON) throws(ServerError) {
        do {
            patch = try JSONPatch(body)
        } catch {
            throw .malformed(error.reason)
        }
        namesAddresses = patch.places.contains { place in
            ["traits", "verifiable_addresses"].contains(place.steps.first)
        }
        for place in patch.places {
            guard let name = place.steps.first, Self.open.contains(name) else {
                throw .malformed(
                    "The patch names /\(place.steps.first ?? ""), which an operator cannot change."
                )
            }
        }
    }

    /// What an identity is to be, in place of what it is.
    func draft(of identity: Identity) throws -> IdentityDraft {
        do {
            return try IdentityDraft(try patch.applied(to: try IdentityDraft.document(of: identity)))
        } catch let error as JSONPatch.Failure {
            throw ServerError.malformed(error.reason)
        }
    }
}
