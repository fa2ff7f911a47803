import LatchkeyAccounts
import LatchkeyAdmin
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyWire

/// An admin API client for the operator's commands.
///
/// Requests are either sent over HTTP or handled in this process, which then opens the server's data
/// directly. The admin API routes are the same in both cases. No token is needed in this process, because
/// anyone who can access the data is already trusted.
struct AdminClient: Sendable {
    /// Sends a request over HTTP or handles it in this process.
    ///
    /// Throws an error if there is no response.
    let transport: @Sendable (HTTP.Request) async throws(CommandFailure) -> HTTP.Response

    /// Calls a closure with a client for the configured data or, with `--admin-url`, for a running server.
    ///
    /// If the client works on the data directly, the database is opened and migrated before the closure is
    /// called, and closed after it returns. If data is created, the folder is reported on standard error.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of a subcommand that accepts the flags in ``OperatorOptions/all``.
    ///   - console: The console, which provides the environment variables. `LATCHKEY_ADMIN_URL` is used if
    ///     there is no `--admin-url` flag.
    ///   - createsData: Whether a data folder without data gets new keys and a new database. Otherwise, such
    ///     a folder is an error, because the flag or setting that selects it is probably wrong.
    ///   - operation: The closure, which must not let the client escape.
    /// - Returns: The closure's return value.
    /// - Throws: ``CommandFailure`` with the code `usage` if the configuration or the URL is invalid,
    ///   `storage` if the data or the admin token can't be read, or `network` if there is no response. Any
    ///   other error thrown by the closure is converted to a failure with the code `failed`.
    static func withClient<Outcome: Sendable>(
        for arguments: Arguments,
        console: Console,
        createsData: Bool = false,
        operation: @Sendable (AdminClient) async throws -> Outcome
    ) async throws(CommandFailure) -> Outcome {
        let configuration = try ConfigurationOptions.load(from: arguments, console: console)
        let url = arguments["admin-url"] ?? console.environment["LATCHKEY_ADMIN_URL"]
        do {
            if let url { return try await operation(try remote(at: url, configuration: configuration)) }
            var parts = ServerParts.system(logging: .warning)
            parts.dataCreated = { console.report($0) }
            return try await IdentityServer.administer(configuration, parts: parts, createsData: createsData)
            { api in
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

    /// Creates a client for a running server, using the configured admin token.
    ///
    /// - Throws: ``CommandFailure`` with the code `storage` if the token file can't be read, `usage` if the
    ///   URL is invalid, or `failed` if libcurl can't be used. If there is no response to a request within 30
    ///   seconds, the client throws a failure with the code `network`.
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

    /// Sends a request and returns the response, regardless of its status.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: The percent-encoded path, relative to the URL of the admin listener.
    ///   - query: The query parameters, which don't have to be encoded.
    ///   - body: The JSON body, or an empty array if there is none.
    /// - Returns: The response.
    /// - Throws: ``CommandFailure`` with the code `network` if there is no response. There is always a
    ///   response when requests are handled in this process.
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

    /// Sends a request and returns the JSON body of the response.
    ///
    /// Throws an error if the status isn't 2xx.
    ///
    /// An empty body is returned as `null`.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - path: The percent-encoded path, relative to the URL of the admin listener.
    ///   - query: The query parameters, which don't have to be encoded.
    ///   - body: The value to send as JSON, or `nil` for no body.
    /// - Returns: The body of the response.
    /// - Throws: ``CommandFailure`` with the code `network` if there is no response, or `failed` if the body
    ///   isn't valid JSON. If the status isn't 2xx, the failure is created by
    ///   ``CommandFailure/init(refusal:)``.
    func send(
        _ method: HTTP.Method,
        path: String,
        query: [(String, String)] = [],
        body: JSONValue? = nil
    ) async throws(CommandFailure) -> JSONValue {
        let bytes = body.flatMap { try? JSONCoding.encode($0) } ?? []
        return try json(of: try await response(method, path: path, query: query, body: bytes))
    }

    /// Returns the JSON body of a response, or throws an error if the status isn't 2xx.
    func json(of response: HTTP.Response) throws(CommandFailure) -> JSONValue {
        guard (200..<300).contains(response.status) else { throw CommandFailure(refusal: response) }
        guard !response.body.isEmpty else { return .null }
        return try Self.json(of: response)
    }

    /// Parses the body of a response as JSON.
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

    /// Reads a list page by page and calls a closure with each entry.
    ///
    /// A page contains up to 250 entries. The closure is called as soon as a page has been read, so it may
    /// already have been called for some entries when an error is thrown.
    ///
    /// - Parameters:
    ///   - path: The path of the API endpoint that returns the list.
    ///   - query: Query parameters that filter the list.
    ///   - limit: The maximum number of entries, or `nil` for all entries.
    ///   - body: Called with each entry, in order.
    /// - Throws: ``CommandFailure`` if a request fails or the response isn't a list.
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
                throw CommandFailure(.failed, message: "the server did not return a list")
            }
            for entry in entries.prefix(remaining) { body(entry) }
            remaining -= entries.count
            token = Self.nextPageToken(in: response.headers["Link"])
        } while token != nil && remaining > 0
    }

    /// Returns the token of the next page from a `Link` header (RFC 8288), or `nil` if this is the last page.
    ///
    /// Only links in the format that Latchkey generates are supported, not everything that the RFC allows.
    private static func nextPageToken(in link: String?) -> String? {
        guard
            let next = link?.split(separator: ",").first(where: { $0.hasSuffix("rel=\"next\"") }),
            let query = next.split(separator: ">").first?.split(separator: "?").last
        else { return nil }
        return QueryItems(String(query))["page_token"]
    }

    /// Looks up an identity by its ID or a login identifier.
    ///
    /// Anything that looks like a UUID is treated as an ID. Login identifiers are normalized by the server.
    ///
    /// - Returns: The identity with the given ID or login identifier.
    /// - Throws: ``CommandFailure`` with the code `usage` if the name is blank, or `failed` if no identity
    ///   matches or the server returns a different identity. Also throws any error thrown by
    ///   ``send(_:path:query:body:)``.
    func identity(named name: String) async throws(CommandFailure) -> JSONValue {
        // The server would ignore an empty filter and return all identities.
        guard !name.allSatisfy(\.isWhitespace) else {
            throw CommandFailure(.usage, message: "the identity must not be empty")
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

    /// Thrown if the server doesn't return the requested identity.
    private static let otherIdentity = CommandFailure(
        .failed,
        message: "the server did not return the requested identity",
        hint: "is this the URL of the admin listener?"
    )

    /// Returns `true` if the traits contain a string that equals the given login identifier after
    /// normalization.
    private static func contains(_ identifier: String, in traits: JSONValue) -> Bool {
        switch traits {
        case .string(let text): LoginIdentifier.normalize(text) == identifier
        case .array(let values): values.contains { contains(identifier, in: $0) }
        case .object(let members): members.values.contains { contains(identifier, in: $0) }
        default: false
        }
    }

    /// Returns the path of a session.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the id would lead to another route.
    static func path(ofSession id: String) throws(CommandFailure) -> String {
        guard let segment = PathSegment.encode(id) else {
            throw CommandFailure(.usage, message: "the session must be a UUID")
        }
        return AdminRoute.sessions + "/" + segment
    }

    /// Returns the path of the identity with the given ID or login identifier.
    ///
    /// - Throws: Any error thrown by ``identity(named:)``.
    func path(of name: String) async throws(CommandFailure) -> String {
        AdminRoute.identities + "/" + (try await identity(named: name)["id"]?.text ?? "")
    }
}

extension CommandFailure {
    /// Creates a failure from an error response of the admin API.
    ///
    /// The message is the reason given in the response or, if there is none, the response's general message.
    /// The code is `refused` for a 4xx status other than 404, and `failed` for any other status.
    init(refusal response: HTTP.Response) {
        let error = (try? JSONCoding.decode(JSONValue.self, from: response.body))?["error"]
        let reason =
            (error?["reason"]?.text ?? error?["message"]?.text)?.displayable
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
