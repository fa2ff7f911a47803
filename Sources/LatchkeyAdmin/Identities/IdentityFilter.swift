import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A filter for a list of identities.
///
/// As in Kratos, filters cannot be combined.
enum IdentityFilter: Sendable {
    /// The list contains all identities.
    case none
    /// The identities with these ids, without unknown ids.
    case ids(Set<Identifier>)
    /// The identity with this login identifier, which is not normalized yet.
    case identifier(String)
    /// The identities of an organization. This filter matches no identity, because organizations are not
    /// supported.
    case organization

    /// The maximum number of ids in a filter.
    static let mostIDs = 500

    /// The query parameters for filters.
    ///
    /// `preview_credentials_identifier_similar` is included only to be rejected with an explanation.
    static let parameters: Set = [
        "ids", "credentials_identifier", "organization_id", "preview_credentials_identifier_similar",
    ]

    /// Reads the filter from a query, and ignores parameters with an empty value.
    ///
    /// The parameter `consistency` is validated but has no effect, because all lists are strongly consistent.
    ///
    /// - Parameter query: The query of the request.
    /// - Throws: ``ServerError`` with status 400 for combined or unsupported filters, malformed ids, or more
    ///   than 500 ids.
    init(_ query: QueryItems) throws(ServerError) {
        guard ["", "strong", "eventual"].contains(query["consistency"] ?? "") else {
            throw .malformed("The query parameter consistency must be strong or eventual.")
        }
        let used = Self.parameters.filter { name in query.values(name).contains { !$0.isEmpty } }
        guard used.count < 2 else {
            throw .malformed("The filters \(used.sorted().joined(separator: " and ")) cannot be combined.")
        }
        switch used.first {
        case "ids": self = .ids(try Self.ids(query))
        case "credentials_identifier": self = .identifier(query["credentials_identifier"] ?? "")
        case "organization_id":
            guard Identifier(query["organization_id"] ?? "") != nil else {
                throw .malformed("The query parameter organization_id must be a UUID.")
            }
            self = .organization
        case nil: self = .none
        default:
            throw .malformed(
                "Searching for similar identifiers is not supported; pass the complete identifier as credentials_identifier."
            )
        }
    }

    /// Reads the parameters `ids`, each of which is a comma-separated list, and removes duplicates after
    /// checking the limit.
    private static func ids(_ query: QueryItems) throws(ServerError) -> Set<Identifier> {
        let texts = query.values("ids").flatMap { $0.split(separator: ",").map(String.init) }
        guard texts.count <= mostIDs else {
            throw .malformed("A request can contain at most \(mostIDs) ids.")
        }
        let ids = try texts.map { text throws(ServerError) in
            guard let id = Identifier(text) else {
                throw .malformed("The query parameter ids must contain UUIDs only.")
            }
            return id
        }
        return Set(ids)
    }
}
