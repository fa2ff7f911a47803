import LatchkeyModel
package import LatchkeyWire

/// Requests to the routes on which the user of this app answers the requests of other apps.
///
/// All methods throw ``LatchkeyError``.
package struct ApprovalAPI: Sendable {
    /// The address with which another app opens this one.
    package struct Question: Hashable, Sendable {
        let client: String
        let requestURI: String

        /// Reads a URL of the form `<scheme>://authorize?client_id=…&request_uri=…`.
        ///
        /// Returns `nil` for other URLs.
        package init?(_ url: String) {
            let scheme = url.prefix { $0 != ":" }
            guard let address = RedirectAddress(scheme + "://authorize"),
                let query = address.query(of: url)
            else { return nil }
            let items = QueryItems(query)
            guard items.failure == nil, Set(items.names).count == items.names.count,
                let client = items["client_id"], let uri = items["request_uri"], !client.isEmpty, !uri.isEmpty
            else { return nil }
            (self.client, requestURI) = (client, uri)
        }
    }

    struct Decision: Encodable, Sendable {
        let decision: String
        let account: String
        let scopes: [String]?

        init(_ decision: String, account: String, scopes: [String]?) {
            (self.decision, self.account, self.scopes) = (decision, account, scopes)
        }
    }

    private struct OpenBody: Encodable {
        let client_id: String
        let request_uri: String
    }

    private let api: IdentityAPI
    /// Sends a request as the logged-in user, with a proof if the device has a certificate.
    private let send: @Sendable (HTTP.Request) async throws(LatchkeyError) -> HTTP.Response

    package init(
        _ api: IdentityAPI,
        sending send: @escaping @Sendable (HTTP.Request) async throws(LatchkeyError) -> HTTP.Response
    ) {
        (self.api, self.send) = (api, send)
    }

    /// Throws the error of a response that asks the user to log in again, so that the request can be repeated then.
    package static func requireNoDuty(_ response: HTTP.Response) throws(LatchkeyError) {
        if response.status == 403 { throw LatchkeyError(rejection: response) }
    }

    /// Opens a request.
    ///
    /// - Parameters:
    ///   - question: The address of the request.
    ///   - api: Sends the answer.
    /// - Returns: The request.
    /// - Throws: ``LatchkeyError``.
    package func open(
        _ question: Question,
        answeringWith api: ApprovalAPI
    ) async throws(LatchkeyError) -> AuthorizationApproval {
        let body = OpenBody(client_id: question.client, request_uri: question.requestURI)
        let response = try await send(try request(.post, "", body: body))
        let answer = try ServerAnswer<ApprovalBody>(response)
        return try answer.value(AuthorizationApproval(decoding: answer.json, api: api))
    }

    /// Answers a request, and returns the URL to open.
    func answer(_ id: String, with decision: Decision) async throws(LatchkeyError) -> String {
        let response = try await send(try request(.post, "/" + id, body: decision))
        let answer = try ServerAnswer<ApprovalAnswerBody>(response)
        return try answer.value(answer.json["redirect_to"]?.text)
    }

    /// Gives a request back.
    func giveBack(_ id: String) async throws(LatchkeyError) {
        let response = try await send(api.approvalRequest(.delete, path: "/" + id))
        _ = try ServerAnswer<NoContent>(response)
    }

    private func request(
        _ method: HTTP.Method,
        _ path: String,
        body: some Encodable
    ) throws(LatchkeyError) -> HTTP.Request {
        guard let bytes = try? JSONCoding.encode(body) else { throw .incompleteAnswer }
        return api.approvalRequest(method, path: path, body: bytes)
    }
}

private struct ApprovalBody: AnswerBody {
    static var statuses: Set<Int> { [201] }
}

private struct ApprovalAnswerBody: AnswerBody {}
