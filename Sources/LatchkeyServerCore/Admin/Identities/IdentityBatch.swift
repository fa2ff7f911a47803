import LatchkeyModel
import LatchkeyWire

/// Many identities in one request, each made or refused by itself, as Kratos does.
struct IdentityBatch: Sendable {
    private static let most = 1000
    /// How many are under way at once: writes that meet share a commit.
    private static let width = 16

    private let administration: IdentityAdministration
    private let items: [OrderedJSON]

    /// Reads the body of a request.
    ///
    /// - Throws: 400 for another shape, and for more than a request may hold.
    init(_ body: OrderedJSON, _ administration: IdentityAdministration) throws(ServerError) {
        guard case .array(let items)? = body["identities"] else {
            throw .malformed("The member identities of the body is no array.")
        }
        guard items.count <= Self.most else {
            throw .malformed("A request makes at most \(Self.most) identities.")
        }
        self.items = items
        self.administration = administration
    }

    /// Makes them, and says of each in its place what came of it.
    func answer(_ exchange: Exchange) async throws -> HTTPResponse {
        var outcomes: [Int: Result<Identifier, ServerError>] = [:]
        for start in stride(from: 0, to: items.count, by: Self.width) {
            try await withThrowingTaskGroup(of: (Int, Result<Identifier, ServerError>).self) { group in
                for index in start..<min(start + Self.width, items.count) {
                    group.addTask { (index, try await make(items[index], exchange)) }
                }
                for try await (index, outcome) in group { outcomes[index] = outcome }
            }
        }
        var writer = JSONWriter(reserving: 128 * (items.count + 1))
        writer.object { writer in
            writer.name("identities")
            writer.array { writer in
                for (index, item) in items.enumerated() {
                    if let outcome = outcomes[index] { Self.write(item, outcome, to: &writer) }
                }
            }
        }
        return .json(200, writer.bytes)
    }

    private func make(_ item: OrderedJSON, _ exchange: Exchange) async throws -> Result<
        Identifier, ServerError
    > {
        do {
            guard let create = item["create"] else {
                throw ServerError.malformed("An item has nothing to create.")
            }
            return .success(try await administration.create(try IdentityDraft(create), exchange))
        } catch let error as ServerError where error.status < 500 {
            return .failure(error)
        }
    }

    private static func write(
        _ item: OrderedJSON,
        _ outcome: Result<Identifier, ServerError>,
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
