import LatchkeyAccounts
import LatchkeyCourier
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire
import Testing

@testable import LatchkeyServer

@Suite struct `Service settings` {
    @Test func `Settings are passed on to the parts of the server`() throws {
        let configuration = try ServerConfiguration.load(flags: [
            "base_path": "/b", "identities.default_schema": "person", "identities.registration": "false",
            "sessions.token_prefix": "vip_st_", "flows.lifespan": "1m", "codes.lifespan": "2m",
            "codes.guesses": "3", "sessions.lifespan": "4h", "sessions.provisional_lifespan": "5m",
            "certificates.lifespan": "6d", "passwords.maximum_length": "70", "courier.wait": "8s",
            "flows.return_urls": "https://a.example", "passwords.login": "false",
            "flows.account_lifespan": "7m", "flows.default_return_url": "https://b.example/",
            "registration.style": "profile_first", "registration.session": "false",
            "registration.verification": "true", "codes.tell_unknown_accounts": "true",
            "recovery.enabled": "false", "verification.enabled": "false", "settings.verification": "true",
            "settings.privileged_age": "9m", "settings.password_ends_sessions": "false",
            "flows.recovery_ui": "https://app.example.com/recovery",
        ])

        let settings = configuration

        #expect(settings.basePath == "/b")
        #expect(settings.schemas.standard == "person")
        #expect(settings.flows.returnURLs == ["https://a.example"])
        #expect(!settings.registration.isEnabled)
        #expect(!settings.passwords.isLoginEnabled)
        #expect(settings.sessions.tokenPrefix == "vip_st_")
        #expect(settings.flows.lifespan == .seconds(60))
        #expect(settings.codes.lifespan == .seconds(120))
        #expect(settings.codes.guesses == 3)
        #expect(settings.sessions.lifespan == .seconds(4 * 3600))
        #expect(settings.sessions.provisionalLifespan == .seconds(300))
        #expect(settings.certificates.lifespan == .seconds(6 * 86_400))
        #expect(settings.passwords.maximumLength == 70)
        #expect(settings.courier.wait == .seconds(8))
        #expect(settings.flows.accountLifespan == .seconds(420))
        #expect(settings.flows.defaultReturnURL == "https://b.example/")
        #expect(settings.registration.style == .profileFirst)
        #expect(!settings.registration.opensSession)
        #expect(settings.registration.sendsVerification)
        #expect(settings.codes.revealsUnknownAccounts)
        #expect(!settings.recovery.isEnabled)
        #expect(!settings.verification.isEnabled)
        #expect(settings.changes.sendsVerification)
        #expect(settings.sessions.privilegedAge == .seconds(540))
        #expect(!settings.changes.newPasswordEndsSessions)
        #expect(settings.recovery.page == "https://app.example.com/recovery")
        #expect(settings.changes.verifiedFirst == .nonIdentifiers)
    }

    @Test func `New addresses can only be verified first if verification is enabled`() throws {
        let flags = ["settings.verified_first": "always"]
        #expect(try ServerConfiguration.load(flags: flags).changes.verifiedFirst == .always)
        let off = flags.merging(["verification.enabled": "false"]) { _, new in new }
        #expect(throws: ConfigurationError.self) { try ServerConfiguration.load(flags: off) }
    }

    @Test(arguments: [
        "flows.lifespan", "flows.account_lifespan", "codes.lifespan", "settings.privileged_age",
        "sessions.lifespan", "sessions.provisional_lifespan", "tokens.access_lifespan",
        "certificates.lifespan",
    ])
    func `Lifespans can be as short as a second`(key: String) throws {
        let flags = ["sessions.provisional_lifespan": "1s"].merging([key: "1s"]) { $1 }
        let setting = try #require(ServerConfiguration.settings.first { $0.path == key })
        #expect(try setting.show(ServerConfiguration.load(flags: flags)) == .string("1s"))
        #expect(throws: ConfigurationError.self) {
            try ServerConfiguration.load(flags: flags.merging([key: "999ms"]) { $1 })
        }
    }

    @Test(arguments: [
        ("optional", VerifiedAddressRule.optional), ("required", .required),
        ("required_in_form", .requiredInForm),
    ])
    func `Verified addresses can be required`(_ text: String, _ rule: VerifiedAddressRule) throws {
        let configuration = try ServerConfiguration.load(flags: ["login.verified_address": text])
        #expect(configuration.login.verifiedAddress == rule)
    }

    @Test func `Verified addresses are not required if verification is disabled`() throws {
        #expect(throws: ConfigurationError.self) {
            try ServerConfiguration.load(flags: [
                "login.verified_address": "required", "verification.enabled": "false",
            ])
        }
    }

    @Test func `Hints about duplicate identifiers can be enabled`() throws {
        let configuration = try ServerConfiguration.load(flags: ["registration.login_hints": "true"])
        #expect(configuration.registration.showsLoginHints)
    }

    @Test func `Retention periods can be configured`() throws {
        let configuration = try ServerConfiguration.load(flags: [
            "sessions.retention": "1d", "courier.retention": "2h", "accounts.deletion_delay": "3d",
        ])
        #expect(configuration.sessions.retention == .seconds(86_400))
        #expect(configuration.courier.retention == .seconds(7200))
        #expect(configuration.accounts.deletionDelay == .seconds(3 * 86_400))
        #expect(throws: ConfigurationError.self) {
            try ServerConfiguration.load(flags: ["accounts.deletion_delay": "59m"])
        }
    }

    @Test func `The documents that block, and the retention of answers, can be configured`() throws {
        let configuration = try ServerConfiguration.load(flags: [
            "terms.blocking": "shop-terms, privacy", "terms.retention": "3650d",
        ])
        #expect(configuration.terms.blocking == ["shop-terms", "privacy"])
        #expect(configuration.terms.retention == .seconds(3650 * 86_400))
        #expect(ServerConfiguration(data: "x").terms.retention == .zero)
        for (setting, value) in [("terms.blocking", "Shop"), ("terms.retention", "36601d")] {
            #expect(throws: ConfigurationError.self) {
                try ServerConfiguration.load(flags: [setting: value])
            }
        }
    }

    @Test func `The total number of text messages can be limited`() throws {
        let configuration = try ServerConfiguration.load(flags: ["limits.text_messages": "500/1h,2000/1d"])
        let windows = configuration.limits.textMessages
        #expect(windows == [Rate(500, per: .seconds(3600)), Rate(2000, per: .seconds(86_400))])
    }

    @Test func `Codes can be disabled`() throws {
        let configuration = try ServerConfiguration.load(flags: ["codes.login": "false"])
        #expect(!configuration.codes.isLoginEnabled)
    }

    @Test func `Disabled limits do not apply`() throws {
        let configuration = try ServerConfiguration.load(flags: [
            "limits.codes_per_phone": "", "limits.codes_per_address": "", "limits.wrong_codes_per_phone": "",
            "limits.codes_on_known_networks": "", "limits.wrong_codes_on_known_networks": "",
            "limits.failures_per_address": "", "limits.failures_per_account": "",
            "limits.failures_per_client": "", "limits.authorizations_per_address": "",
            "limits.pushed_requests_per_client": "", "limits.approvals_per_session": "",
            "limits.handovers_per_session": "", "limits.handovers_per_address": "",
            "limits.accounts_per_address": "", "limits.registrations_per_address": "",
            "limits.changes_per_account": "", "limits.enrolments_per_session": "",
            "limits.exports_per_account": "", "limits.text_messages": "", "limits.longest_wait": "0s",
            "limits.orders_per_account": "", "limits.payment_methods_per_account": "",
            "limits.payment_methods_per_address": "", "limits.restores_per_account": "",
            "limits.histories_per_account": "", "limits.texts_per_calling_code": "",
            "limits.forms_per_address": "", "limits.renewals_per_session": "",
            "limits.public_reads_per_address": "", "limits.identifier_status_per_address": "",
            "limits.identifier_status_per_key": "",
        ])

        #expect(LimitRules(configuration.limits) == LimitRules(.unlimited))
    }
}
