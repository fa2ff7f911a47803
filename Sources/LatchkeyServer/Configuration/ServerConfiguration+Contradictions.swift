import LatchkeyAccounts
import LatchkeyCommerce
import LatchkeyCourier
import LatchkeyModel
import LatchkeyOAuth
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

extension ServerConfiguration {
    /// The problems with combinations of settings that are not allowed, even though each setting is valid on
    /// its own.
    ///
    /// Each problem contains the key of one of the settings that need to be changed. The default settings
    /// never contradict each other.
    var contradictions: [ConfigurationError.Problem] {
        var problems: [ConfigurationError.Problem] = []
        func report(_ key: String, _ message: String) {
            let source = sources[key]?.description ?? "default"
            problems.append(ConfigurationError.Problem(key: key, source: source, message: message))
        }
        if BasePath(basePath) == nil {
            report(
                "base_path",
                "must be empty, or a path such as /a that starts but doesn't end with a slash, without empty segments or characters that have to be encoded"
            )
        }
        if admin.open, !Loopback.contains(admin.host) {
            report("admin.open", "requires admin.host to be a loopback address")
        }
        if courier.kind == .http, courier.url == nil {
            report("courier.kind", "http requires courier.url")
        }
        if sessions.provisionalLifespan > sessions.lifespan {
            report("sessions.provisional_lifespan", "must not be longer than sessions.lifespan")
        }
        if let streams = events.streams, streams > connections.limit / 2 {
            report(
                "events.streams",
                "must not be larger than half of connections.limit, because streams would leave too few connections for other requests"
            )
        }
        if limits.longestWait > .zero, limits.firstWait > limits.longestWait {
            report("limits.first_wait", "must not be longer than limits.longest_wait")
        }
        if port != 0, port == admin.port, host == admin.host {
            report("admin.port", "must differ from port")
        }
        if !passwords.isLoginEnabled, !codes.isLoginEnabled {
            report("codes.login", "must be on if passwords.login is off; otherwise users could not log in")
        }
        if login.verifiedAddress != .optional, !verification.isEnabled {
            report(
                "login.verified_address",
                "requires verification.enabled; otherwise users could not log in"
            )
        }
        if changes.verifiedFirst == .always, !verification.isEnabled {
            report(
                "settings.verified_first",
                "requires verification.enabled; otherwise users could not change an address"
            )
        }
        if isPublic, let key = courier.developmentKey, !courier.allowsDevelopment {
            report(
                key,
                "development prints codes on the terminal, but other machines can reach this server; choose http or smtp, or set courier.allow_development"
            )
        }
        for (key, hasHeaders) in courier.plainProviders.sorted(by: { $0.key < $1.key }) where hasHeaders {
            report(key, "would send the provider's key to another machine unencrypted; use an https URL")
        }
        for (key, message) in courier.contradictions { report(key, message) }
        for (key, message) in cookies.contradictions(withURL: url) { report(key, message) }
        for app in commerce.apps {
            let issuer = url.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
            let reserved = [issuer, tokens.audience].compactMap { $0 }
            if let flaw = HistoryAudience.flaw(of: app, reserved: reserved) {
                report("commerce.apps", "contains \"\(app)\", but an app's id \(flaw)")
            }
        }
        for (key, message) in overcommitments() { report(key, message) }
        return problems
    }
}

extension CourierSettings {
    /// The problems caused by combinations of mail settings.
    ///
    /// Each problem has a message and the key of one of the affected settings.
    fileprivate var contradictions: [(key: String, message: String)] {
        var found: [(String, String)] = []
        let server = mail.url.flatMap { MailServerAddress($0) }
        switch mail.kind {
        case .smtp:
            if mail.url == nil {
                found.append(("courier.mail.kind", "smtp requires courier.mail.url"))
            } else if server == nil {
                found.append(
                    ("courier.mail.url", "is not a mail server URL such as smtps://mail.example.com")
                )
            }
            if mail.from == nil { found.append(("courier.mail.kind", "smtp requires courier.mail.from")) }
        case .http:
            if mail.url == nil {
                found.append(("courier.mail.kind", "http requires courier.mail.url"))
            } else if server != nil {
                found.append(
                    ("courier.mail.url", "is the URL of a mail server, but courier.mail.kind is http")
                )
            }
        case .development, nil:
            if mail.url != nil {
                found.append(("courier.mail.url", "requires courier.mail.kind to be smtp or http"))
            }
        }
        if !mail.smtpUTF8, mail.from.flatMap({ EmailAddress($0) })?.requiresSMTPUTF8 == true {
            found.append(("courier.mail.from", "requires courier.mail.smtputf8, because it is not ASCII"))
        }
        if mail.password != nil, mail.user == nil {
            found.append(("courier.mail.password", "requires courier.mail.user"))
        }
        if let server, !server.isImplicit, mail.startTLS == .never, mail.password != nil,
            !Loopback.contains(server.host)
        {
            found.append(
                ("courier.mail.starttls", "“never” would send the password to another machine unencrypted")
            )
        }
        return found
    }
}
