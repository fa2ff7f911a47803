import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Notices to the owner of an account", .onEachDatabase)
struct OwnerNoticeTests {
    private static let both = [ProvenAccount.phone, ProvenAccount.mail]

    @Test func `A new password is reported to all verified addresses`() async throws {
        let account = try await ProvenAccount()
        _ = try await account.server.change(password: ProvenAccount.newPassword, token: account.token)
        #expect(try await account.server.recipients(of: .passwordChanged) == Self.both)
    }

    @Test func `Adding an address notifies the previously verified addresses but not the new one`()
        async throws
    {
        let account = try await ProvenAccount()
        let traits = ProvenAccount.traits(mail: ProvenAccount.newMail)
        _ = try await account.server.change(traits: traits, token: account.token)
        #expect(try await account.server.recipients(of: .addressChanged) == Self.both)
        await account.server.messagesAreSent()
        #expect(account.server.inbox.messages(for: ProvenAccount.newMail).isEmpty)
    }

    @Test func `A recovery is reported to the other verified addresses`() async throws {
        let account = try await ProvenAccount()
        _ = try await account.open(.recovery, with: ProvenAccount.mail)
        #expect(try await account.server.recipients(of: .accountRecovered).contains(ProvenAccount.phone))
    }

    @Test func `A recovery with a code from the operator isn't reported`() async throws {
        let account = try await ProvenAccount()
        let made = await account.admin.send(
            .post,
            "/admin/recovery/code",
            #"{"identity_id": "\#(account.id)"}"#
        )
        let flow = try #require(made["recovery_link"]?.text?.split(separator: "=").last.map(String.init))
        let code = made["recovery_code"] ?? .null
        let answer = try await account.server.submitCode(.recovery, flow, ["code": code])
        #expect(answer["state"] == "passed_challenge")
        #expect(try await account.server.recipients(of: .accountRecovered) == [])
    }

    @Test func `Unverified addresses don't receive notices`() async throws {
        let account = try await ProvenAccount(proving: [ProvenAccount.mail])
        _ = try await account.server.change(password: ProvenAccount.newPassword, token: account.token)
        #expect(try await account.server.recipients(of: .passwordChanged) == [ProvenAccount.mail])
    }

    @Test func `Changes to other traits aren't reported`() async throws {
        let account = try await ProvenAccount()
        var traits = ProvenAccount.traits()
        traits["name"] = "Kari"
        _ = try await account.server.change(traits: traits, token: account.token)
        #expect(try await account.server.recipients(of: .addressChanged).isEmpty)
    }

    @Test func `After three text messages in a day, an account receives notices only by e-mail`()
        async throws
    {
        let account = try await ProvenAccount()
        let server = account.server
        for number in 1...5 {
            await server.messagesAreSent()
            server.time.advance(by: .seconds(1))
            let answer = try await server.change(password: "fresh-Start-pass-\(number)", token: account.token)
            #expect(answer["state"] == "success")
        }
        let recipients = try await server.recipients(of: .passwordChanged)
        #expect(recipients.count { $0 == ProvenAccount.phone } == 3)
        #expect(recipients.count { $0 == ProvenAccount.mail } == 5)
        let withheld = try await AuditLog.events(of: account.id, limit: 100, in: server.resources.database)
            .filter { $0.action == .noticeWithheld }
        #expect(withheld.map(\.subject) == ["password_changed", "password_changed"])
        #expect(withheld.allSatisfy { $0.actor == .server })

        // Notices about all kinds of changes share the same limit.
        let traits = ProvenAccount.traits(mail: ProvenAccount.newMail)
        _ = try await server.change(traits: traits, token: account.token)
        #expect(try await server.recipients(of: .addressChanged) == [ProvenAccount.mail])

        await server.messagesAreSent()
        server.time.advance(by: .seconds(86_400))
        let again = try #require(
            try await server.login(ProvenAccount.phone, "fresh-Start-pass-5")["session_token"]?.text
        )
        _ = try await server.change(password: "fresh-Start-pass-6", token: again)
        let later = try await server.recipients(of: .passwordChanged)
        #expect(later.count { $0 == ProvenAccount.phone } == 4)
    }

    @Test func `Notices are neither sent nor recorded as withheld if the operator has disabled them`()
        async throws
    {
        let account = try await ProvenAccount { $0.notices.isEnabled = false }
        let server = account.server
        for number in 1...4 {
            _ = try await server.change(password: "fresh-Start-pass-\(number)", token: account.token)
        }
        let traits = ProvenAccount.traits(mail: ProvenAccount.newMail)
        #expect(try await server.change(traits: traits, token: account.token)["state"] == "success")
        for kind in [MessageKind.passwordChanged, .addressChanged] {
            #expect(try await server.recipients(of: kind).isEmpty)
        }
        #expect(try await !server.actions(of: account.id).contains(.noticeWithheld))
    }
}
