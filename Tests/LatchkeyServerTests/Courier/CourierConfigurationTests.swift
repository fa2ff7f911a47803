import LatchkeyCourier
import LatchkeyModel
import LatchkeyTestKit
import TestProcesses
import Testing

@testable import LatchkeyServer

@Suite struct `Courier settings` {
    private static let smtp = [
        "courier.mail.kind": "smtp", "courier.mail.url": "smtps://mail.test", "courier.mail.from": "a@b.test",
    ]

    @Test(
        arguments: [
            (["courier.mail.kind": "smtp"], ["courier.mail.kind", "courier.mail.kind"]),
            (["courier.mail.kind": "http"], ["courier.mail.kind"]),
            (["courier.mail.kind": "http", "courier.mail.url": "smtp://mail.test"], ["courier.mail.url"]),
            (
                [
                    "courier.mail.kind": "smtp", "courier.mail.url": "https://mail.test",
                    "courier.mail.from": "a@b.test",
                ],
                ["courier.mail.url"]
            ),
            (["courier.mail.url": "https://mail.test"], ["courier.mail.url"]),
            (smtp.merging(["courier.mail.from": "ø@b.test"]) { $1 }, ["courier.mail.from"]),
            (
                smtp.merging(["courier.mail.from": "ø@b.test", "courier.mail.smtputf8": "true"]) { $1 },
                []
            ),
            (smtp.merging(["courier.mail.from": "a@ø.test"]) { $1 }, []),
            (
                ["courier.mail.kind": "development", "courier.mail.url": "smtp://mail.test"],
                ["courier.mail.url"]
            ),
            (smtp, []),
            (
                smtp.merging(["courier.mail.url": "smtp://mail.test:25", "courier.mail.starttls": "never"]) {
                    $1
                }, []
            ),
        ] as [([String: String], [String])]
    )
    func `Incomplete or contradictory settings are rejected`(flags: [String: String], blamed: [String]) {
        do throws(ConfigurationError) {
            _ = try ServerConfiguration.load(flags: flags)
            #expect(blamed.isEmpty)
        } catch {
            #expect(error.problems.map(\.key) == blamed)
        }
    }

    @Test(
        arguments: [
            (["LATCHKEY_COURIER_MAIL_PASSWORD": "s3cr3t"], ["courier.mail.password"]),
            (["LATCHKEY_COURIER_MAIL_PASSWORD": "s3cr3t", "LATCHKEY_COURIER_MAIL_USER": "u"], []),
            (
                [
                    "LATCHKEY_COURIER_MAIL_PASSWORD": "s3cr3t", "LATCHKEY_COURIER_MAIL_USER": "u",
                    "LATCHKEY_COURIER_MAIL_URL": "smtp://mail.test",
                    "LATCHKEY_COURIER_MAIL_STARTTLS": "never",
                ], ["courier.mail.starttls"]
            ),
            (
                [
                    "LATCHKEY_COURIER_MAIL_PASSWORD": "s3cr3t", "LATCHKEY_COURIER_MAIL_USER": "u",
                    "LATCHKEY_COURIER_MAIL_URL": "smtp://127.0.0.1",
                    "LATCHKEY_COURIER_MAIL_STARTTLS": "never",
                ], []
            ),
        ] as [([String: String], [String])]
    )
    func `A password is never sent in plain text or printed`(variables: [String: String], blamed: [String]) {
        let usual = [
            "LATCHKEY_COURIER_MAIL_KIND": "smtp", "LATCHKEY_COURIER_MAIL_URL": "smtps://mail.test",
            "LATCHKEY_COURIER_MAIL_FROM": "a@b.test",
        ]
        do throws(ConfigurationError) {
            let configuration = try ServerConfiguration.load(environment: usual.merging(variables) { $1 })
            #expect(blamed.isEmpty)
            #expect(!configuration.text.contains("s3cr3t"))
        } catch {
            #expect(error.problems.map(\.key) == blamed)
            #expect(!error.description.contains("s3cr3t"))
        }
    }

    @Test(
        arguments: [
            ("smtp://mail.test", "mail.test", 587, false), ("smtps://mail.test", "mail.test", 465, true),
            ("smtp://mail.test:2525/", "mail.test", 2525, false), ("SMTPS://[::1]:99", "::1", 99, true),
            ("smtp://127.0.0.1", "127.0.0.1", 587, false),
        ]
    )
    func `A mail server URL is accepted`(url: String, host: String, port: Int, isImplicit: Bool) throws {
        let address = try #require(MailServerAddress(url))
        #expect(address.host == host && address.port == port && address.isImplicit == isImplicit)
    }

    @Test(arguments: [
        "", "mail.test", "http://mail.test", "smtp://", "smtp://u:p@mail.test", "smtp://mail.test/x",
        "smtp://mail.test:0",
        "smtp://mail.test:65536", "smtp://mail.test:x", "smtp://a b", "smtp://[]", "smtp://[::1",
        "smtp://[::1]x",
        "smtp://mail.test?x", "smtp://mail.test\r\n", "smtp://mäil.test",
    ])
    func `A missing or invalid mail server URL is rejected`(url: String) {
        #expect(MailServerAddress(url) == nil)
    }

    @Test(arguments: [
        ("courier.mail.from", "a@b, c@d.test"), ("courier.mail.greeting", "a b"),
        ("courier.mail.greeting", "a/../b"),
        ("courier.language", "de"), ("courier.mail.url", "ftp://x"), ("courier.mail.body", "{{phone}}"),
        ("courier.body", #"["{{html}}"]"#),
    ])
    func `Malformed values are rejected`(key: String, value: String) {
        #expect(throws: ConfigurationError.self) { try ServerConfiguration.load(flags: [key: value]) }
    }

    @Test(
        arguments: [
            (.development, nil, .development), (.http, nil, nil), (.http, .development, .development),
            (.development, .smtp, .smtp),
        ]
            as [(
                CourierSettings.Kind, MailSettings.Kind?,
                MailSettings.Kind?
            )]
    )
    func `E-mails are only printed on the terminal if no provider is configured`(
        sms: CourierSettings.Kind,
        mail: MailSettings.Kind?,
        kind: MailSettings.Kind?
    ) {
        var courier = CourierSettings()
        courier.kind = sms
        courier.mail.kind = mail
        #expect(courier.mailKind == kind)
    }

    @Test func `The folder with templates is read before the server starts`() async throws {
        let folder = TemporaryFolder()
        try folder.makeFolder("sv")
        _ = try folder.write("x", as: ".hidden")
        let file = try folder.write("{{code}}\n", as: "sv/login_code_valid.sms.txt")
        var configuration = ServerConfiguration(data: folder.path + "/data")
        configuration.courier.templates = folder.path
        _ = try OperatorFiles(configuration)

        _ = try folder.write("one\n{{cod}}\n", as: "sv/login_code_valid.sms.txt")
        let server = IdentityServer(configuration: configuration)
        let error = await #expect(throws: IdentityServerError.self) { try await server.start() }
        #expect(error?.code == .configuration)
        #expect(
            error?.message.contains("\(file):2: unknown placeholder {{cod}}") == true,
            "\(error?.message ?? "")"
        )

        configuration.courier.templates = folder.path + "/nowhere"
        #expect(throws: IdentityServerError.self) { try OperatorFiles(configuration) }
    }

    @Test(arguments: ["", "certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `Certificates that no connection could be verified with are rejected at the start`(text: String)
        async throws
    {
        let folder = TemporaryFolder()
        var configuration = ServerConfiguration(data: folder.path + "/data")
        configuration.courier.mail.kind = .smtp
        configuration.courier.mail.url = "smtps://mail.test"
        configuration.courier.mail.from = "a@b.test"
        configuration.courier.mail.certificates = try folder.write(text, as: "roots.pem")

        let error = await #expect(throws: IdentityServerError.self) {
            try await IdentityServer(configuration: configuration).start()
        }

        #expect(error?.code == .configuration)
        #expect(error?.message.hasPrefix("courier.mail.certificates (") == true, "\(error?.message ?? "")")
        #expect(try folder.contents().keys.sorted() == ["roots.pem"])
    }

    @Test func `The settings determine the name and language in messages`() throws {
        let flags = ["courier.app": "Shop", "courier.language": "fi"]
        let configuration = try ServerConfiguration.load(flags: flags)
        #expect(configuration.courier.app == "Shop" && configuration.courier.language == .finnish)
    }
}
