import LatchkeyAccounts
import LatchkeyAdmin
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyWire

/// A client of the admin API for the operator's commands.
///
/// The client sends requests over HTTP, or handles them in process on the server's data.
///
/// Both transports use the same routes of the admin API. In process, no token is needed, because access to
/// the data is sufficient.
struct AdminClient: Sendable {
    /// Sends a request over HTTP or in process, and throws an error if there is no response.
    let transport: @Sendable (HTTP.Request) async throws(CommandFailure) -> HTTP.Response

    /// Calls a closure with a client for the configured data or, with `--admin-url`, for a running server.
    ///
    /// In process, the database is migrated if necessary before the closure is called, and is closed after
    /// the call.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of a subcommand whose syntax includes ``OperatorOptions/all``.
    ///   - console: The environment, with `LATCHKEY_ADMIN_URL` as the default of `--admin-url`.
    ///   - operation: The closure, after which the client must not be used.
    /// - Returns: The result of the closure.
    /// - Throws: ``CommandFailure`` of the kind `usage` for an invalid configuration or URL, `storage` if the
    ///   data or the admin token cannot be read, or `network` without a response. Other errors of the closure
    ///   are converted to the kind `failed`.
    static func withClient<Outcome: Sendable>(
        for arguments: Arguments,
        console: Console,
        operation: @Sendable (AdminClient) async throws -> Outcome
    ) async throws(CommandFailure) -> Outcome {
        let configuration = try ConfigurationOptions.load(from: arguments, console: console)
        let url = arguments["admin-url"] ?? console.environment["LATCHKEY_ADMIN_URL"]
        do {
            if let url { return try await operation(try remote(at: url, configuration: configuration)) }
            return try await IdentityServer.administer(configuration, parts: .system(logging: .warning)) {
                api in
                let client = AdminClient { request in await api.respond(to: request, from: .inProcess) }
                return try await operation(client)
            }
        } catch let error as CommandFailure {
            throw error
        } catch let error as IdentityServerError {
            throw CommandFailure(starting: error)
        } catch {
            throw CommandFailure(.failed, message: "the operation failed: \(type(of: error))")
        }
    }

    /// Creates a client of a running server, with the admin token of the configuration.
    ///
    /// - Throws: ``CommandFailure`` of the kind `storage` if the file with the token cannot be read, `usage`
    ///   for an invalid URL, or `failed` if libcurl cannot be used. The client's requests throw a failure of
    ///   the kind `network` if there is no response within 30 seconds.
    private static func remote(at url: String, configuration: ServerConfiguration) throws(CommandFailure)
        -> AdminClient
    {
        let token: Secret?
        do {
            token = try configuration.adminToken(for: url)
        } catch {
            throw CommandFailure(
                .storage,
                message: error.description,
                hint:
                    "run the command as the server's user, or use --admin-token-file to specify a file that contains the admin token"
            )
        }
        do {
            let server = try RemoteOperator(url: url, token: token)
            return AdminClient { request throws(CommandFailure) in
                do throws(OutgoingHTTPError) {
                    return try await server.send(request)
                } catch {
                    throw CommandFailure(
                        .network,
                        message: error.message,
                        hint: "is this the URL of the admin listener?"
                    )
                }
            }
        } catch {
            throw CommandFailure(OutgoingAddress(url) == nil ? .usage : .failed, message: error.message)
        }
    }

    /// Sends a request and returns the response, whatever its status.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - path: The path relative to the URL of the admin listener, percent-encoded.
    ///   - query: The query parameters, which this method encodes.
    ///   - body: The JSON body; empty for none.
    /// - Returns: The response.
    /// - Throws: ``CommandFailure`` of the kind `network` if there is no response, which cannot happen in
    ///   process.
    func response(
        _ method: HTTP.Method,
        path: String,
        query: [(String, String)] = [],
        body: [UInt8] = []
    ) async throws(CommandFailure) -> HTTP.Response {
        let items = query.map { QueryItems.encode($0.0) + "=" + QueryItems.encode($0.1) }
        var headers: HTTP.Headers = ["Accept": "application/json"]
        if !body.isEmpty { headers["Content-Type"] = "application/json" }
        return try await transport(
            HTTP.Request(
                method,
                path,
                query: items.isEmpty ? nil : items.joined(separator: "&"),
                headers: headers,
                body: body
            )
        )
    }

    /// Sends a request and returns the JSON body of the response, or throws an error if the status is not
    /// 2xx.
    ///
    /// An empty body is returned as `null`.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - path: The path relative to the URL of the admin listener, percent-encoded.
    ///   - query: The query parameters, which this method encodes.
    ///   - body: The value to send as JSON; `nil` for no body.
    /// - Returns: The body of the response.
    /// - Throws: ``CommandFailure`` of the kind `network` without a response, `failed` if the body is not
    ///   JSON, or else the failure that ``CommandFailure/init(refusal:)`` creates.
    func send(
        _ method: HTTP.Method,
        path: String,
        query: [(String, String)] = [],
        body: JSONValue? = nil
    ) async throws(CommandFailure) -> JSONValue {
        let bytes = body.flatMap { try? JSONCoding.encode($0) } ?? []
        let response = try await response(method, path: path, query: query, body: bytes)
        guard (200..<300).contains(response.status) else { throw CommandFailure(refusal: response) }
        guard !response.body.isEmpty else { return .null }
        return try Self.json(of: response)
    }

    /// Returns the JSON body of a response.
    private static func json(of response: HTTP.Response) throws(CommandFailure) -> JSONValue {
        do {
            return try JSONCoding.decode(from: response.body)
        } catch {
            throw CommandFailure(
                .failed,
                message: "the server's response is not valid JSON",
                hint: "is this the URL of the admin listener?"
            )
        }
    }

    /// Reads a list page by page and passes each entry to a closure.
    ///
    /// Pages have up to 250 entries. Entries are passed on as soon as their page has been read, so the
    /// closure may have been called for some entries before a failure.
    ///
    /// - Parameters:
    ///   - path: The path of the list.
    ///   - query: The filters of the list.
    ///   - limit: The maximum number of entries; `nil` for all.
    ///   - body: Called with each entry, in order.
    /// - Throws: ``CommandFailure`` if a request fails or a response is not a list.
    func forEachEntry(
        ofList path: String,
        query: [(String, String)] = [],
        limit: Int? = nil,
        body: (JSONValue) -> Void
    ) async throws(CommandFailure) {
        var token: String?
        var remaining = limit ?? .max
        repeat {
            let size =
                [("page_size", String(min(remaining, 250)))] + (token.map { [("page_token", $0)] } ?? [])
            let response = try await response(.get, path: path, query: query + size)
            guard response.status == 200 else { throw CommandFailure(refusal: response) }
            guard case .array(let entries)? = try? JSONCoding.decode(JSONValue.self, from: response.body)
            else {
                throw CommandFailure(.failed, message: "the server's response is not a list")
            }
            for entry in entries.prefix(remaining) { body(entry) }
            remaining -= entries.count
            token = Self.nextPageToken(in: response.headers["Link"])
        } while token != nil && remaining > 0
    }

    /// Returns the token of the next page from a `Link` header (RFC 8288); `nil` on the last page.
    ///
    /// This method parses only the form of links that Latchkey writes, not every form that the RFC allows.
    private static func nextPageToken(in link: String?) -> String? {
        guard
            let next = link?.split(separator: ",").first(where: { $0.hasSuffix("rel=\"next\"") }),
            let query = next.split(separator: ">").first?.split(separator: "?").last
        else { return nil }
        return QueryItems(String(query))["page_token"]
    }

    /// Returns an identity by its ID or a login identifier, or throws an error if it does not exist.
    ///
    /// A name in the form of a UUID is always treated as an ID. The server normalizes login identifiers.
    ///
    /// - Returns: The identity, whose id or traits match the name.
    /// - Throws: ``CommandFailure`` of the kind `usage` for a blank name, or `failed` if no identity matches
    ///   or the server returns a different identity, and the errors of ``send(_:path:query:body:)``.
    func identity(named name: String) async throws(CommandFailure) -> JSONValue {
        // The server ignores an empty filter and would return all identities.
        guard !name.allSatisfy(\.isWhitespace) else {
            throw CommandFailure(.usage, message: "the name of the identity is empty")
        }
        if let id = Identifier(name) {
            let response = try await response(.get, path: AdminRoute.identities + "/" + name)
            if response.status == 200 {
                let found = try Self.json(of: response)
                guard found["id"]?.text.flatMap({ Identifier($0) }) == id else { throw Self.otherIdentity }
                return found
            }
            guard response.status == 404 else { throw CommandFailure(refusal: response) }
        } else {
            let found = try await send(
                .get,
                path: AdminRoute.identities,
                query: [("credentials_identifier", name)]
            )
            guard case .array(let identities) = found else { throw Self.otherIdentity }
            if let identity = identities.first {
                guard
                    identities.count == 1, identity["id"]?.text.flatMap({ Identifier($0) }) != nil,
                    Self.contains(LoginIdentifier.normalize(name), in: identity["traits"] ?? .null)
                else { throw Self.otherIdentity }
                return identity
            }
        }
        throw CommandFailure(
            .failed,
            message: "no identity matches \(name)",
            hint:
                "pass an ID, phone number or e-mail address; select the server with --data, --config or --admin-url"
        )
    }

    /// The error for a response that is not the requested identity.
    private static let otherIdentity = CommandFailure(
        .failed,
        message: "the server's response is not the requested identity",
        hint: "is this the URL of the admin listener?"
    )

    /// Returns whether one of the strings in traits equals a normalized login identifier after normalization.
    private static func contains(_ identifier: String, in traits: JSONValue) -> Bool {
        switch traits {
        case .string(let text): LoginIdentifier.normalize(text) == identifier
        case .array(let values): values.contains { contains(identifier, in: $0) }
        case .object(let members): members.values.contains { contains(identifier, in: $0) }
        default: false
        }
    }

    /// Returns the path of an identity by its id or a login identifier, and throws the errors of
    /// ``identity(named:)``.
    func path(of name: String) async throws(CommandFailure) -> String {
        AdminRoute.identities + "/" + (try await identity(named: name)["id"]?.text ?? "")
    }
}

extension CommandFailure {
    /// Creates a failure from an error response of the admin API.
    ///
    /// The message is the reason in the response or, if there is none, its general message. A status from 400
    /// to 499 has the kind `refused`, except for 404, which has the kind `failed` like all other statuses.
    init(refusal response: HTTP.Response) {
        let error = (try? JSONCoding.decode(JSONValue.self, from: response.body))?["error"]
        let reason =
            error?["reason"]?.text ?? error?["message"]?.text
            ?? "the server responded with status \(response.status)"
        switch response.status {
        case 401:
            self.init(
                .refused,
                message: reason,
                hint:
                    "use --admin-token-file to specify a file that contains the token or, on the server's machine, --data to specify the folder that contains admin.token"
            )
        case 404: self.init(.failed, message: reason)
        case 400..<500: self.init(.refused, message: reason)
        default: self.init(.failed, message: reason)
        }
    }
}
