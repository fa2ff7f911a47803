import LatchkeyWire

/// The origins whose web pages can read the responses of a route (Fetch, CORS protocol).
///
/// No response allows credentials, so a page can't use the cookies of its visitors.
package enum CORSPolicy: Hashable, Sendable {
    /// Only pages of this server can read the responses.
    case none
    /// All pages can read the responses, because they are public.
    case anyOrigin
    /// The pages of the client that sent the request can read the response, which the handler decides with
    /// ``RequestContext/shareResponse(withOrigins:)``.
    ///
    /// A preflight doesn't name a client, so the pages of all clients can send requests.
    case clients

    /// The header fields that pages can send.
    private static let requestFields = "Authorization, Content-Type, DPoP"
    /// The header fields that pages can read.
    private static let responseFields = "DPoP-Nonce, WWW-Authenticate"
    /// How long browsers remember a preflight, in seconds.
    private static let preflightAge = 600

    private static let allowedOrigin = "Access-Control-Allow-Origin"

    /// A response that depends on the origin must not be used for another one.
    private static let varying = HTTP.Headers.Field(name: "Vary", value: "Origin")

    /// Returns the header fields that let a page read a response.
    func fields(of context: RequestContext) -> [HTTP.Headers.Field] {
        switch self {
        case .none: return []
        case .anyOrigin: return [HTTP.Headers.Field(name: Self.allowedOrigin, value: "*")]
        case .clients:
            guard let origin = context.sharing?.sharedOrigin else { return [Self.varying] }
            return [
                Self.varying, HTTP.Headers.Field(name: Self.allowedOrigin, value: origin),
                HTTP.Headers.Field(name: "Access-Control-Expose-Headers", value: Self.responseFields),
            ]
        }
    }

    /// Returns the header fields of the response to a preflight.
    ///
    /// - Parameters:
    ///   - request: The preflight, which is refused if it doesn't have exactly one origin.
    ///   - methods: The methods of the path that have this policy.
    ///   - isClientOrigin: Returns whether a client has registered the origin.
    /// - Returns: The header fields, which don't allow an origin if the preflight is refused.
    /// - Throws: An error from `isClientOrigin`.
    func preflightFields(
        from request: HTTP.Request,
        methods: [HTTP.Method],
        isClientOrigin: Router.OriginSource
    ) async throws -> [HTTP.Headers.Field] {
        guard self != .none else { return [] }
        let varying = self == .clients ? [Self.varying] : []
        guard let origin = request.pageOrigin else { return varying }
        if self == .clients {
            guard try await isClientOrigin(origin) else { return varying }
        }
        return varying + [
            HTTP.Headers.Field(name: Self.allowedOrigin, value: self == .anyOrigin ? "*" : origin),
            HTTP.Headers.Field(
                name: "Access-Control-Allow-Methods",
                value: methods.map(\.rawValue).sorted().joined(separator: ", ")
            ),
            HTTP.Headers.Field(name: "Access-Control-Allow-Headers", value: Self.requestFields),
            HTTP.Headers.Field(name: "Access-Control-Max-Age", value: String(Self.preflightAge)),
        ]
    }
}

extension HTTP.Request {
    /// The origin of the web page that sent the request, or `nil` if there is none or there are several.
    var pageOrigin: String? {
        headers.repeats("Origin") ? nil : headers["Origin"]
    }
}
