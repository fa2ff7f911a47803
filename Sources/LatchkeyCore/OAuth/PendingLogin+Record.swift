import LatchkeyModel
import LatchkeyWire

/// The JSON representation of pending logins, an array.
extension PendingLogins {
    /// A login that could be read.
    private struct Element: Decodable {
        let login: PendingLogin?

        init(from decoder: any Decoder) throws {
            login = (try? PendingLogin.Record(from: decoder)).flatMap { PendingLogin(decoding: $0) }
        }
    }

    /// Decodes the logins.
    ///
    /// Logins that can't be read are left out, because they can't be continued.
    init(decoding bytes: [UInt8]?) {
        let elements = bytes.flatMap { try? JSONCoding.decode([Element].self, from: $0) } ?? []
        self.init(elements.compactMap(\.login).suffix(Self.countLimit))
    }

    /// The encoded logins, or `nil` if there are none.
    var encoded: [UInt8]? {
        logins.isEmpty ? nil : try? JSONCoding.encode(logins.map { PendingLogin.Record($0) })
    }
}

extension PendingLogin {
    /// The members of a login.
    ///
    /// Dates are in RFC 3339 format, and the device key is encoded as Base64URL.
    fileprivate struct Record: Codable {
        var state: String
        var verifier: String
        var nonce: String
        var redirectURI: String
        var issuer: String
        var scopes: [String]
        var maxAge: Int?
        var expiresAt: String
        /// Whether the session is only kept in memory.
        var isForProcess: Bool
        var former: String?
        var code: String?
        var grant: StoredSession.Record.Credential?
        var token: String?
        var subject: String?
        /// Whether the user has refused, if the login has failed.
        var isRefused: Bool?
        var key: String

        init(_ login: PendingLogin) {
            state = login.state.exposed
            verifier = login.verifier.secret.exposed
            nonce = login.nonce.exposed
            redirectURI = login.redirectURI
            issuer = login.issuer
            scopes = login.scopes.sorted()
            maxAge = login.maxAge
            expiresAt = login.expiresAt.description
            isForProcess = login.persistence == .memory
            former = login.former?.text
            key = Base64URL.encode(login.key.exposed)
            switch login.progress {
            case .waiting: break
            case .answered(let code): self.code = code.exposed
            case .granted(let grant): self.grant = StoredSession.Record.Credential(encoding: .grant(grant))
            case .opened(let token, let subject): (self.token, self.subject) = (token.exposed, subject)
            case .failed(let isRefused): self.isRefused = isRefused
            }
        }
    }

    fileprivate init?(decoding record: Record) {
        guard let expiry = Timestamp(rfc3339: record.expiresAt), let key = Base64URL.decode(record.key) else {
            return nil
        }
        let progress: Progress
        if let code = record.code {
            progress = .answered(code: Secret(code))
        } else if let encoded = record.grant {
            guard case .grant(let grant)? = StoredCredential(decoding: encoded) else { return nil }
            progress = .granted(grant)
        } else if let token = record.token {
            guard let subject = record.subject else { return nil }
            progress = .opened(token: Secret(token), subject: subject)
        } else if let isRefused = record.isRefused {
            progress = .failed(isRefused: isRefused)
        } else {
            progress = .waiting
        }
        self.init(
            state: Secret(record.state),
            verifier: CodeVerifier(stored: record.verifier),
            key: StoredKey(key),
            nonce: Secret(record.nonce),
            redirectURI: record.redirectURI,
            issuer: record.issuer,
            scopes: Set(record.scopes),
            maxAge: record.maxAge,
            expiresAt: expiry,
            persistence: record.isForProcess ? .memory : .device,
            former: record.former.flatMap { LoginID($0) },
            progress: progress
        )
    }

    /// Decodes a single login that was encoded as ``encoded``, or returns `nil` if it can't be read.
    init?(decoding text: Secret) {
        guard let record = try? JSONCoding.decode(Record.self, from: Array(text.exposed.utf8)) else {
            return nil
        }
        self.init(decoding: record)
    }

    /// The login as JSON.
    var encoded: Secret? {
        (try? JSONCoding.encode(Record(self))).map { Secret(String(decoding: $0, as: UTF8.self)) }
    }
}
