import LatchkeyModel
import LatchkeyServer
import LatchkeyServerCore
import LatchkeyWire

/// Where an operator's commands do their work: the operator's API, of a server that runs or on the data itself.
struct OperatorDesk: Sendable {
    private let exchange: @Sendable (HTTPRequest) async throws(CommandFailure) -> HTTPResponse

    /// Opens the data, or a way to a server, and works.
    static func open<Outcome: Sendable>(
        _ arguments: Arguments,
        _ console: Console,
        _ work: @Sendable (OperatorDesk) async throws -> Outcome
    ) async throws(CommandFailure) -> Outcome {
        let configuration = try ConfigurationOptions.load(arguments, console)
        let url = arguments["admin-url"] ?? console.environment["LATCHKEY_ADMIN_URL"]
        do {
            if let url { return try await work(try remote(at: url, by: configuration)) }
            return try await IdentityServer.administer(configuration, .system(logging: .warning)) { api in
                let desk = OperatorDesk { request in await api.respond(to: request, from: .inProcess) }
                return try await work(desk)
            }
        } catch let error as CommandFailure {
            throw error
        } catch let error as IdentityServerError {
            throw CommandFailure(starting: error)
        } catch {
            throw CommandFailure(.failed, "it could not be done: \(type(of: error))")
        }
    }

    private static func remote(at url: String, by configuration: ServerConfiguration) throws(CommandFailure)
        -> OperatorDesk
    {
        let token: Secret?
        do {
            token = try configuration.adminToken(for: url)
        } catch {
            throw CommandFailure(
                .storage,
                error.description,
                hint: "run it as the server's user, or name a file with the admin token by --admin-token-file"
            )
        }
        do {
            let server = try RemoteOperator(url: url, token: token)
            return OperatorDesk { request throws(CommandFailure) in
                do throws(OutgoingHTTPError) {
                    return try await server.send(request)
                } catch {
                    throw CommandFailure(.network, error.message, hint: "is it the operator's listener?")
                }
            }
        } catch {
            throw CommandFailure(.usage, error.message)
        }
    }

    /// Sends a request whose answer may be a refusal.
    func answer(
        _ method: HTTPMethod,
        _ path: String,
        query: [(String, String)] = [],
        body: [UInt8] = []
    ) async throws(CommandFailure) -> HTTPResponse {
        let items = query.map { QueryItems.encode($0.0) + "=" + QueryItems.encode($0.1) }
        var headers: HTTPHeaders = ["Accept": "application/json"]
        if !body.isEmpty { headers["Content-Type"] = "application/json" }
        return try await exchange(
            HTTPRequest(
                method,
                path,
                query: items.isEmpty ? nil : items.joined(separator: "&"),
                headers: headers,
                body: body
            )
        )
    }

    /// Sends a request that must succeed, and reads the answer's body.
    func send(
        _ method: HTTPMethod,
        _ path: String,
        query: [(String, String)] = [],
        body: JSONValue? = nil
    ) async throws(CommandFailure) -> JSONValue {
        let bytes = body.flatMap { try? JSONCoding.encode($0) } ?? []
        let response = try await answer(method, path, query: query, body: bytes)
        guard (200..<300).contains(response.status) else { throw CommandFailure(refusal: response) }
        guard !response.body.isEmpty else { return .null }
        return (try? JSONCoding.decode(JSONValue.self, from: response.body)) ?? .null
    }

    /// Reads a list page by page, and hands on each entry.
    ///
    /// - Parameters:
    ///   - path: The list.
    ///   - query: Its filters.
    ///   - limit: How many entries at most; nothing for all.
    ///   - take: Takes an entry.
    /// - Throws: ``CommandFailure``.
    func list(
        _ path: String,
        query: [(String, String)] = [],
        limit: Int? = nil,
        _ take: (JSONValue) -> Void
    ) async throws(CommandFailure) {
        var token: String?
        var left = limit ?? .max
        repeat {
            let size = [("page_size", String(min(left, 250)))] + (token.map { [("page_token", $0)] } ?? [])
            let response = try await answer(.get, path, query: query + size)
            guard response.status == 200 else { throw CommandFailure(refusal: response) }
            guard case .array(let entries)? = try? JSONCoding.decode(JSONValue.self, from: response.body)
            else {
                throw CommandFailure(.failed, "the server answered with something else than a list")
            }
            for entry in entries.prefix(left) { take(entry) }
            left -= entries.count
            token = Self.nextToken(response.headers["Link"])
        } while token != nil && left > 0
    }

    /// The token of the next page in a header `Link`.
    private static func nextToken(_ link: String?) -> String? {
        guard
            let next = link?.split(separator: ",").first(where: { $0.hasSuffix("rel=\"next\"") }),
            let query = next.split(separator: ">").first?.split(separator: "?").last
        else { return nil }
        return QueryItems(String(query))["page_token"]
    }

    /// Finds an identity that must be there, by its id or by what it logs in with.
    func identity(_ name: String) async throws(CommandFailure) -> JSONValue {
        if Identifier(name) != nil {
            let response = try await answer(.get, AdminRoute.identities + "/" + name)
            if response.status == 200, let found = try? JSONCoding.decode(JSONValue.self, from: response.body)
            {
                return found
            }
            guard response.status == 404 else { throw CommandFailure(refusal: response) }
        } else {
            let found = try await send(
                .get,
                AdminRoute.identities,
                query: [("credentials_identifier", name)]
            )
            if case .array(let identities) = found, let identity = identities.first { return identity }
        }
        throw CommandFailure(
            .failed,
            "there is no identity \(name)",
            hint:
                "name its id, phone number or e-mail address; --data, --config or --admin-url say whose server"
        )
    }

    /// The path of an identity that must be there.
    func path(of name: String) async throws(CommandFailure) -> String {
        AdminRoute.identities + "/" + (try await identity(name)["id"]?.text ?? "")
    }
}

extension CommandFailure {
    /// Says why the operator's API refused.
    init(refusal response: HTTPResponse) {
        let error = (try? JSONCoding.decode(JSONValue.self, from: response.body))?["error"]
        let reason =
            error?["reason"]?.text ?? error?["message"]?.text ?? "the server answered \(response.status)"
        switch response.status {
        case 401:
            self.init(
                .refused,
                reason,
                hint:
                    "--admin-token-file names a file with the token; on the server's machine, --data names the folder that holds admin.token"
            )
        case 404: self.init(.failed, reason)
        case 400..<500: self.init(.refused, reason)
        default: self.init(.failed, reason)
        }
    }
}
