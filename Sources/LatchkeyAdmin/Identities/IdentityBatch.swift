import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Creates many identities in one request.
///
/// As in Kratos, each item succeeds or fails on its own.
struct IdentityBatch: Sendable {
    /// The maximum number of identities in one request.
    private static let most = 1000
    /// The number of identities that are created concurrently.
    ///
    /// Transactions that run at the same time can share a commit.
    private static let width = 16

    private let administration: IdentityAdministration
    private let items: [OrderedJSON]

    /// Reads the body of a request.
    ///
    /// Each item is only parsed when its identity is created.
    ///
    /// - Parameters:
    ///   - body: The JSON object that contains the `identities` array.
    ///   - administration: Creates the identities.
    /// - Throws: ``ServerError`` with status 400 if the body is malformed or contains more than 1000
    ///   identities.
    init(_ body: OrderedJSON, administration: IdentityAdministration) throws(ServerError) {
        _ = try body.members(among: ["identities"])
        guard case .array(let items)? = body["identities"] else {
            throw .malformed("The member identities must be an array.")
        }
        guard items.count <= Self.most else {
            throw .malformed("A request can create at most \(Self.most) identities.")
        }
        self.items = items
        self.administration = administration
    }

    /// Creates the identities and returns their outcomes in the order of the request.
    ///
    /// The status of the response is 200, even if all items failed. Up to 16 identities are created at a
    /// time, each in its own transaction.
    ///
    /// - Throws: Any error with a status of 500 or above. In this case, the entire request fails, but some of
    ///   the identities may already have been created.
    func answer(_ context: RequestContext) async throws -> HTTP.Response {
        var outcomes: [Int: Result<Identifier, ServerError>] = [:]
        for start in stride(from: 0, to: items.count, by: Self.width) {
            try await withThrowingTaskGroup(of: (Int, Result<Identifier, ServerError>).self) { group in
                for index in start..<min(start + Self.width, items.count) {
                    group.addTask { (index, try await make(items[index], in: context)) }
                }
                for try await (index, outcome) in group { outcomes[index] = outcome }
            }
        }
        var writer = JSONWriter(reserving: 128 * (items.count + 1))
        writer.object { writer in
            writer.name("identities")
            writer.array { writer in
                for (index, item) in items.enumerated() {
                    if let outcome = outcomes[index] { Self.write(item, outcome: outcome, to: &writer) }
                }
            }
        }
        return .json(200, body: writer.bytes)
    }

    /// Creates one identity.
    ///
    /// If the status of an error is below 500, the error becomes the outcome. All other errors are thrown.
    private func make(_ item: OrderedJSON, in context: RequestContext) async throws -> Result<
        Identifier, ServerError
    > {
        do {
            let members = try item.members(among: ["create", "patch_id"])
            guard let create = members.first(where: { $0.name == "create" })?.value else {
                throw ServerError.malformed("An item has no member named create.")
            }
            if let patch = members.first(where: { $0.name == "patch_id" }),
                try Identifier(patch.text) == nil
            {
                throw ServerError.malformed("The member patch_id must be a UUID.")
            }
            return .success(try await administration.create(try IdentityDraft(create), in: context))
        } catch let error as ServerError where error.status < 500 {
            return .failure(error)
        }
    }

    /// Writes the outcome of an item: `create` and the id of the new identity, or `error` and the reason.
    ///
    /// The item's `patch_id` is included unless that is the error.
    private static func write(
        _ item: OrderedJSON,
        outcome: Result<Identifier, ServerError>,
        to writer: inout JSONWriter
    ) {
        writer.object { writer in
            writer.name("action")
            switch outcome {
            case .success(let id):
                writer.string("create")
                writer.name("identity")
                writer.identifier(id)
            case .failure(let error):
                writer.string("error")
                writer.name("error")
                writer.object { writer in
                    writer.name("code")
                    writer.integer(Int64(error.status))
                    writer.name("message")
                    writer.string(HTTPStatus(error.status).explanation)
                    if let reason = error.reason {
                        writer.name("reason")
                        writer.string(reason)
                    }
                }
            }
            if case .string(let text)? = item["patch_id"], let id = Identifier(text) {
                writer.name("patch_id")
                writer.identifier(id)
            }
        }
    }
}
