import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite("Addresses released by operators", .onEachDatabase)
struct AddressReleaseTests {
    private func release(_ account: ProvenAccount, _ address: String) async -> Answer {
        await account.admin.send(.post, "/admin/addresses/release", #"{"address": "\#(address)"}"#)
    }

    @Test(arguments: [ProvenAccount.phone, "+46 70 100 00 01", ProvenAccount.mail, " Person1@Example.org"])
    func `A released address stays in the traits but loses all of its roles`(_ address: String)
        async throws
    {
        let account = try await ProvenAccount()
        let answer = await release(account, address)
        #expect(answer.status == 200)
        #expect(answer["identities"] == .array([.string(account.id.description)]))
        let identity = try await account.identity()
        let isPhone = address.hasPrefix("+")
        let other = isPhone ? ProvenAccount.mail : ProvenAccount.phone
        #expect(identity.identifiers == [other])
        #expect(identity.verifiable.map(\.address.value) == [other])
        #expect(identity.recovery.map(\.address.value) == (isPhone ? [ProvenAccount.mail] : []))
        #expect(identity.provenAddresses.map(\.value) == [other])
        #expect(identity.waivedFields == [isPhone ? "traits.phone" : "traits.email"])

        let me = await account.server.get("/sessions/whoami", token: account.token)
        #expect(me.status == 200)
        #expect(me["identity"]?["traits"] == .object(ProvenAccount.traits()))
        #expect(
            try await account.server.login(isPhone ? ProvenAccount.phone : ProvenAccount.mail).status == 400
        )
        #expect(try await account.server.login(other).status == 200)
        #expect(try await account.admin.actions(account.id.description) == ["address.released"])
    }

    @Test func `An operator may remove a released address although the schema requires the field`()
        async throws
    {
        let account = try await ProvenAccount()
        #expect(await release(account, ProvenAccount.phone).status == 200)
        let traits = #"{"email": "\#(ProvenAccount.mail)"}"#
        let body = #"{"schema_id": "person", "state": "active", "traits": \#(traits)}"#
        let answer = await account.operate(.put, "", body)
        #expect(answer.status == 200, "\(answer.body)")
    }

    @Test(arguments: [FlowKind.login, .verification])
    func `Releasing an address invalidates the codes that were sent to it`(_ kind: FlowKind) async throws {
        let account = try await ProvenAccount()
        for address in [ProvenAccount.phone, ProvenAccount.mail] {
            let flow = try await account.server.requestCode(kind, to: address)
            let code = JSONValue.string(try await account.server.code(for: address))
            if address == ProvenAccount.phone {
                #expect(await release(account, ProvenAccount.phone).status == 200)
                let answer = try await account.server.submitCode(kind, flow, ["code": code])
                #expect(answer.messages == [kind == .login ? .wrongLoginCode : .wrongVerificationCode])
            } else {
                // After the release, the account still accepts codes that are sent to its other address.
                let answer = try await account.server.submitCode(kind, flow, ["code": code])
                #expect(answer.status == 200)
            }
        }
    }

    @Test func `The new owner of a released address can sign up with it`() async throws {
        let account = try await ProvenAccount()
        #expect(await release(account, ProvenAccount.phone).status == 200)
        let traits: JSONValue = .object([
            "email": "second@example.org", "phone": .string(ProvenAccount.phone),
        ])
        let body = JSONValue.object([
            "method": "password", "password": .string(SelfServiceServer.password), "traits": traits,
        ])
        let answer = try await account.server.submit(
            .registration,
            await account.server.begin(.registration),
            body
        )
        #expect(answer.status == 200)
        let id = try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) })
        #expect(try await account.server.holder(of: ProvenAccount.phone) == id)
        let token = try #require(answer["session_token"]?.text)
        let verified = try await account.server.enter(.verification, with: ProvenAccount.phone, token: token)
        #expect(verified["state"] == "passed_challenge")
        #expect(try await account.server.provers(of: ProvenAccount.phone) == [id])
        let entered = try await account.server.enter(.login, with: ProvenAccount.phone)
        #expect(entered["session"]?["identity"]?["id"]?.text == id.description)
    }

    @Test(arguments: ["+46709999999", "unknown@example.org"])
    func `Releasing an address that no account has returns 404`(_ address: String) async throws {
        let account = try await ProvenAccount(proving: [])
        #expect(await release(account, address).status == 404)
        #expect(await release(account, ProvenAccount.phone).status == 200)
        // Once released, the address no longer has any role.
        #expect(await release(account, ProvenAccount.phone).status == 404)
    }

    @Test(arguments: [
        #"{"address": "me"}"#, #"{"address": ""}"#, #"{"address": "+12"}"#, #"{"address": 1}"#, "{}", "[]",
        "",
    ])
    func `Text that isn't an address is rejected`(_ body: String) async throws {
        let account = try await ProvenAccount(proving: [])
        let answer = await account.admin.send(.post, "/admin/addresses/release", body)
        #expect(answer.status == 400)
        #expect(try await account.identity().identifiers.count == 2)
    }
}
