import LatchkeyCourier
import LatchkeyCrypto
import LatchkeyModel
import LatchkeySMTP
import LatchkeyServerKit

/// The configured transports, texts and options of the courier.
struct CourierSetup: Sendable {
    /// The transport for each channel.
    ///
    /// If no mail transport is configured, e-mail messages are abandoned.
    let delivery: any MessageDelivery

    /// The development courier, or `nil` if it isn't used.
    ///
    /// The outbox endpoint lists the messages of this courier.
    let development: DevelopmentDelivery?

    /// The courier's options, such as the number of workers and the timeouts.
    let options: CourierOptions

    /// Creates the transports from the configuration.
    ///
    /// This reads the certificates of the mail server but doesn't connect to any provider.
    ///
    /// - Throws: ``IdentityServerError`` with the code `configuration`, or an error if libcurl is
    ///   unavailable.
    init(_ courier: CourierSettings, parts: ServerParts) throws {
        let development = DevelopmentDelivery(time: parts.time, to: parts.terminal)
        let mailKind = courier.mailKind
        delivery = ChannelDelivery(
            sms: courier.kind == .development ? development : try Self.sms(courier, parts: parts),
            mail: try mailKind.map {
                try Self.mail($0, courier: courier, development: development, parts: parts)
            }
                ?? NoDelivery(reason: "Sending e-mail is not configured: set courier.mail.kind.")
        )
        self.development = courier.kind == .development || mailKind == .development ? development : nil
        options = CourierOptions(
            workers: courier.workers,
            attempts: [.sms: courier.timeout, .email: courier.mail.timeout]
        )
    }

    /// Creates the transport for text messages over HTTP.
    private static func sms(
        _ courier: CourierSettings,
        parts: ServerParts
    ) throws -> any MessageDelivery {
        guard let address = courier.url.flatMap({ OutgoingAddress($0) }) else {
            throw IdentityServerError(
                .configuration,
                message: "courier.url is not a valid URL"
            )
        }
        return HTTPDelivery(
            to: address,
            headers: courier.headers,
            template: try template(courier.body, for: .sms, key: "courier.body"),
            timeout: courier.timeout,
            http: try CurlOutgoingHTTP(timeout: courier.timeout),
            time: parts.time
        )
    }

    /// Creates the mail transport.
    private static func mail(
        _ kind: MailSettings.Kind,
        courier: CourierSettings,
        development: DevelopmentDelivery,
        parts: ServerParts
    ) throws -> any MessageDelivery {
        let mail = courier.mail
        switch kind {
        case .development:
            return development
        case .smtp:
            guard let from = mail.from.flatMap({ EmailAddress($0) }) else {
                throw IdentityServerError(
                    .configuration,
                    message: "courier.mail.from is not an e-mail address"
                )
            }
            let sender = MailSender(from, name: mail.name ?? courier.app)
            return try SMTPDelivery(courier.smtpOptions(), from: sender, time: parts.time)
        case .http:
            guard let address = mail.url.flatMap({ OutgoingAddress($0) }) else {
                throw IdentityServerError(
                    .configuration,
                    message: "courier.mail.url is not a valid URL"
                )
            }
            return HTTPDelivery(
                to: address,
                headers: mail.headers,
                template: try template(mail.body, for: .email, key: "courier.mail.body"),
                timeout: mail.timeout,
                http: try CurlOutgoingHTTP(timeout: mail.timeout),
                time: parts.time
            )
        }
    }

    /// Parses a request template.
    ///
    /// If the template is invalid, the error message starts with the name of the setting.
    private static func template(
        _ text: String,
        for channel: Message.Channel,
        key: String
    ) throws(IdentityServerError) -> RequestTemplate {
        do throws(RequestTemplate.Malformed) {
            return try RequestTemplate(text, for: channel)
        } catch {
            throw IdentityServerError(.configuration, message: "\(key) \(error.reason)")
        }
    }
}

extension CourierSettings {
    /// The transport for e-mail, or `nil` if e-mail is not configured.
    ///
    /// E-mail uses the development courier by default only if text messages also use that courier. A server
    /// with a real provider must not print codes on its terminal unless it is configured to do so.
    var mailKind: MailSettings.Kind? {
        mail.kind ?? (kind == .development ? .development : nil)
    }

    /// Returns the options for the SMTP connection.
    ///
    /// If a certificate file is configured, it is read here.
    ///
    /// - Throws: ``IdentityServerError`` with the code `configuration` if the URL isn't a mail server URL or
    ///   if the file cannot be used.
    func smtpOptions() throws(IdentityServerError) -> SMTPOptions {
        guard let address = mail.url.flatMap({ MailServerAddress($0) }) else {
            throw IdentityServerError(
                .configuration,
                message: "courier.mail.url is not a mail server URL such as smtps://mail.example.com"
            )
        }
        var options = SMTPOptions(
            host: address.host,
            port: address.port,
            security: address.isImplicit ? .implicit : mail.startTLS == .required ? .startTLS : .none
        )
        options.user = mail.user
        options.password = mail.password
        options.greeting = mail.greeting
        options.timeout = mail.timeout
        options.connectTimeout = min(mail.timeout, options.connectTimeout)
        options.connections = workers
        options.trustedCertificates = try mail.trustedCertificates()
        return options
    }
}

extension MailSettings {
    /// Reads the certificates that the mail server's certificate is verified with.
    ///
    /// The result is `nil` if the system's certificates are used.
    ///
    /// - Throws: ``IdentityServerError`` with the code `configuration` if the file cannot be read or doesn't
    ///   contain valid certificates. Otherwise, every connection to the mail server would fail.
    func trustedCertificates() throws(IdentityServerError) -> String? {
        guard let file = certificates else { return nil }
        let text: String
        do {
            text = try PrivateFile(file).text()
        } catch {
            throw IdentityServerError(.configuration, message: "\(error)")
        }
        do throws(CryptoError) {
            try CertificateBundle.count(in: Array(text.utf8))
        } catch {
            throw IdentityServerError(.configuration, message: "\(file): \(error.message)")
        }
        return text
    }
}
