import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The admin endpoint for addresses that have a new owner, such as recycled phone numbers.
///
/// This endpoint isn't part of Kratos's API.
struct AddressEndpoints: Sendable {
    /// The maximum size of a request body, in bytes.
    private static let bodyLimit = 4096

    private let administration: IdentityAdministration

    /// Creates the endpoint.
    ///
    /// - Parameter administration: Releases addresses and records each release in the audit log.
    init(administration: IdentityAdministration) {
        self.administration = administration
    }

    /// The endpoint that releases addresses.
    ///
    /// `POST /admin/addresses/release` responds with status 404 if no account has the address.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .post,
                AdminRoute.releasedAddresses,
                below: .server,
                accepts: .adminToken,
                operation: .releaseAddress,
                answer: release
            )
        ]
    }

    /// Releases the address in the body and returns the ids of the accounts that had it.
    ///
    /// - Throws: ``ServerError`` with status 400 if the member `address` is missing or isn't an address or if
    ///   there are other members, 404 if no account has the address, or 413 if the body is too large.
    private func release(_ context: RequestContext) async throws -> HTTP.Response {
        let body = try context.json(limit: Self.bodyLimit)
        _ = try body.members(among: ["address"])
        guard
            case .string(let text)? = body["address"],
            let address = ContactAddress(LoginIdentifier.normalize(text))
        else {
            throw ServerError.malformed("The member address must be a phone number or an e-mail address.")
        }
        let holders = try await administration.release(address, in: context)
        var writer = JSONWriter(reserving: 128)
        writer.object { writer in
            writer.name("identities")
            writer.array { writer in for id in holders { writer.identifier(id) } }
        }
        return .json(200, body: writer.bytes)
    }
}
