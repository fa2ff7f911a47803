import LatchkeyModel
import LatchkeyWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A request of another app that the logged-in user can approve, such as the login of a game in a store app.
///
/// Everything in it comes from the identity server, and not from the URL with which this app was opened. Show it to the
/// user, and ask with two buttons of equal weight. Then open the URL that ``approve(_:)`` or ``refuse()`` returns.
public struct AuthorizationApproval: Sendable, Identifiable {
    /// The app that asks, as the server's operator has registered it.
    public struct Client: Hashable, Sendable {
        /// The client's id.
        public let id: String
        /// The name of the app, or `nil` if none is registered.
        public let name: String?
        /// The address of the app's home page, if any.
        public let uri: String?
        /// The address of the app's logo, if any.
        public let logoURI: String?
        /// The address of the app's privacy policy, if any.
        public let policyURI: String?
        /// The address of the app's terms of service, if any.
        public let termsURI: String?
    }

    /// A permission that the app asks for.
    public struct Scope: Hashable, Sendable {
        /// The value of the scope, such as `profile`.
        public let name: String
        /// The description in the user's language, or `nil` if the server has none.
        public let text: String?
    }

    /// The certainty about the app that asks.
    public enum Origin: Hashable, Sendable {
        /// The answer goes to an app that belongs to the owner of this host.
        case claimedHTTPS(host: String)
        /// The answer goes to an app that has registered a scheme, which any app can do (RFC 8252, section 8.6).
        ///
        /// Tell the user that the app only calls itself by the registered name.
        case privateUseScheme(String)
        /// The answer goes to a program on this device, or to an address of a kind that this version doesn't know.
        case unknown
    }

    /// The id of the request.
    ///
    /// If the same request is opened again, the id stays the same.
    public let id: String
    /// The app that asks.
    public let client: Client
    /// The certainty about the app.
    public let origin: Origin
    /// The permissions that the app asks for.
    public let scopes: [Scope]
    /// The masked identifier of the account that will be used, such as `+43…67`.
    public let account: String
    /// When the request expires.
    public let expiresAt: Date
    /// Whether the user has approved all of the scopes for this app earlier.
    public let isRemembered: Bool

    private let api: ApprovalAPI

    /// Whether the user must be asked.
    ///
    /// This is `false` only for an app that is certain and that the user has approved earlier.
    public var requiresConfirmation: Bool {
        if case .claimedHTTPS = origin { !isRemembered } else { true }
    }

    init?(decoding json: JSONValue, api: ApprovalAPI) {
        guard let id = json["id"]?.text, Identifier(id) != nil, let client = Client(decoding: json["client"]),
            let account = json["account"]?.text, let isRemembered = json["remembered"]?.bool,
            let expiry = json["expires_at"]?.text.flatMap({ Timestamp(rfc3339: $0) }),
            let scopes = try? json["scopes"]?.elements(Scope.init(decoding:))
        else { return nil }
        (self.id, self.client, self.scopes, self.account) = (id, client, scopes, account)
        (self.isRemembered, expiresAt, self.api) = (isRemembered, expiry.date, api)
        origin = Origin(decoding: json["redirect"])
    }

    /// Approves the request for the account that was shown.
    ///
    /// A request is answered once. If the response is lost, the other app keeps waiting, and its user logs in there.
    ///
    /// - Parameter scopes: The scopes that the user has chosen, or `nil` for all.
    /// - Returns: The URL to open, which leads back to the other app.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/flowExpired`` if the request was answered,
    ///   withdrawn or has expired, ``LatchkeyError/Code/identityMismatch`` if the account has changed,
    ///   ``LatchkeyError/Code/flowUnknown`` or ``LatchkeyError/Code/signedOut`` if the session has changed, or
    ///   ``LatchkeyError/Code/reauthenticationRequired`` if the request asks for a login that is more recent.
    @concurrent public func approve(_ scopes: Set<String>? = nil) async throws(LatchkeyError) -> String {
        try await api.answer(
            id,
            with: ApprovalAPI.Decision("approve", account: account, scopes: scopes?.sorted())
        )
    }

    /// Refuses the request.
    ///
    /// - Returns: The URL to open, which leads back to the other app.
    /// - Throws: ``LatchkeyError`` with the codes of ``approve(_:)``.
    @concurrent public func refuse() async throws(LatchkeyError) -> String {
        try await api.answer(id, with: ApprovalAPI.Decision("refuse", account: account, scopes: nil))
    }

    /// Gives the request back without an answer, so that it can be approved with another account.
    ///
    /// Sign out afterwards, log the other user in, and read the request again.
    ///
    /// - Throws: ``LatchkeyError`` with the codes of ``approve(_:)``.
    @concurrent public func giveBack() async throws(LatchkeyError) {
        try await api.giveBack(id)
    }
}

extension AuthorizationApproval.Client {
    fileprivate init?(decoding json: JSONValue?) {
        guard let json, let id = json["client_id"]?.text else { return nil }
        self.id = id
        name = json["client_name"]?.text
        uri = json["client_uri"]?.text
        logoURI = json["logo_uri"]?.text
        policyURI = json["policy_uri"]?.text
        termsURI = json["tos_uri"]?.text
    }
}

extension AuthorizationApproval.Scope {
    fileprivate init?(decoding json: JSONValue) {
        guard let name = json["name"]?.text else { return nil }
        (self.name, text) = (name, json["description"]?.text)
    }
}

extension AuthorizationApproval.Origin {
    fileprivate init(decoding json: JSONValue?) {
        switch json?["kind"]?.text {
        case "claimed_https": self = json?["host"]?.text.map { .claimedHTTPS(host: $0) } ?? .unknown
        case "private_use": self = json?["scheme"]?.text.map { .privateUseScheme($0) } ?? .unknown
        default: self = .unknown
        }
    }
}

extension AuthorizationApproval: CustomReflectable {
    /// A mirror for printing, without the account.
    public var customMirror: Mirror {
        Mirror(self, children: ["id": id, "client": client, "expiresAt": expiresAt], displayStyle: .struct)
    }
}
