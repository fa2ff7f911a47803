import LatchkeyModel
import LatchkeyWire

/// Which identities a list of them is asked for; one filter at a time, as in Kratos.
enum IdentityFilter: Sendable {
    case none
    case ids(Set<Identifier>)
    /// The identity that logs in with this.
    case identifier(String)
    /// The identities of an organization, of which there are none.
    case organization

    static let mostIDs = 500

    static let parameters: Set = [
        "ids", "credentials_identifier", "organization_id", "preview_credentials_identifier_similar",
    ]

    /// Reads the filter of a query; items without a value count as none.
    ///
    /// - Throws: 400 for filters that do not go together, do not exist here, or hold no ids.
    init(_ query: QueryItems) throws(ServerError) {
        guard ["", "strong", "eventual"].contains(query["consistency"] ?? "") else {
            throw .malformed("The parameter consistency is neither strong nor eventual.")
        }
        let used = Self.parameters.filter { name in query.values(name).contains { !$0.isEmpty } }
        guard used.count < 2 else {
            throw .malformed("The filters \(used.sorted().joined(separator: " and ")) exclude each other.")
        }
        switch used.first {
        case "ids": self = .ids(try Self.ids(query))
        case "credentials_identifier": self = .identifier(query["credentials_identifier"] ?? "")
        case "organization_id":
            guard Identifier(query["organization_id"] ?? "") != nil else {
                throw .malformed("The parameter organization_id is no UUID.")
            }
            self = .organization
        case nil: self = .none
        default: throw .malformed("Identifiers are found here by their whole, with credentials_identifier.")
        }
    }

    private static func ids(_ query: QueryItems) throws(ServerError) -> Set<Identifier> {
        let texts = query.values("ids").flatMap { $0.split(separator: ",").map(String.init) }
        guard texts.count <= mostIDs else {
            throw .malformed("At most \(mostIDs) ids can be asked for at once.")
        }
        let ids = try texts.map { text throws(ServerError) in
            guard let id = Identifier(text) else { throw .malformed("One of the ids is no UUID.") }
            return id
        }
        return Set(ids)
    }
}
