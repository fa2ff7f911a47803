import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Selects the identities in a list.
///
/// As in Kratos, filters cannot be combined.
enum IdentityFilter: Sendable {
    /// All identities.
    case none
    /// The identities with the given ids.
    ///
    /// Unknown ids are ignored.
    case ids(Set<Identifier>)
    /// The identity with the given login identifier, which hasn't been normalized yet.
    case identifier(String)
    /// The identities that belong to an organization.
    ///
    /// Organizations are not supported, so the list is always empty.
    case organization

    /// The maximum number of ids in one request.
    static let mostIDs = 500

    /// The query parameters that are filters.
    ///
    /// `preview_credentials_identifier_similar` isn't supported, but we include the parameter so that the
    /// error can explain this.
    static let parameters: Set = [
        "ids", "credentials_identifier", "organization_id", "preview_credentials_identifier_similar",
    ]

    /// Reads the filter from a query.
    ///
    /// Parameters with an empty value are ignored. The parameter `consistency` is validated but has no
    /// effect, because lists are always strongly consistent.
    ///
    /// - Parameter query: The query of the request.
    /// - Throws: ``ServerError`` with status 400 if filters are combined, a filter isn't supported, an id is
    ///   malformed or there are more than 500 ids.
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

    /// Reads the `ids` parameters.
    ///
    /// Each parameter is a comma-separated list of ids. Duplicates count towards the limit and are then
    /// removed.
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
