import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Registration in two steps` {
    private func server() async throws -> SelfServiceServer {
        try await SelfServiceServer { $0.registration.style = .profileFirst }
    }

    @Test(
        arguments: [
            ["method": "profile", "traits": SelfServiceServer.traits(1)], ["screen": "previous"],
        ] as [[String: JSONValue]]
    )
    func `An invalid proof of possession is rejected in each step, and nothing is stored`(
        body: [String: JSONValue]
    ) async throws {
        let server = try await server()
        let flow = await server.begin(.registration)
        let answer = try await server.submit(
            .registration,
            flow,
            .object(body),
            headers: ["DPoP": "not a proof"]
        )
        #expect(answer.status == 400)
        #expect(answer["error"] != nil && answer["ui"] == nil)
        #expect(try await server.count("flows") == 0)
    }

    @Test func `The form asks for the traits first and then for a credential`() async throws {
        let server = try await server()
        let begun = await server.get("/self-service/registration/api")
        #expect(begun.fields == ["csrf_token", "traits.email", "traits.phone", "traits.name", "method"])
        #expect(begun.value("method") == "profile")
        let flow = begun["id"]?.text ?? ""
        let profile = JSONValue.object(["method": "profile", "traits": SelfServiceServer.traits()])
        let step = try await server.submit(.registration, flow, profile)
        #expect(step.status == 400)
        #expect(step["state"] == "choose_method")
        #expect(step.messages == [.chooseCredential])
        #expect(
            step.fields == [
                "csrf_token", "traits.email", "traits.phone", "traits.name", "method", "password", "method",
                "screen",
            ]
        )
        #expect(step.node("traits.email")?["attributes"]?["type"] == "hidden")
        #expect(step.value("traits.email") == "person1@example.org")
        let shown = await server.get("/self-service/registration/flows?id=\(flow)")
        #expect(shown.body == step.body)
        let answer = try await server.submit(
            .registration,
            flow,
            .object(["method": "password", "password": .string(SelfServiceServer.password)])
        )
        #expect(answer.status == 200)
        #expect(answer["identity"]?["traits"] == SelfServiceServer.traits())
    }

    @Test func `Two-step registration also works with a code`() async throws {
        let server = try await server()
        let flow = await server.begin(.registration)
        let profile = JSONValue.object(["method": "profile", "traits": SelfServiceServer.traits()])
        _ = try await server.submit(.registration, flow, profile)
        #expect(try await server.submitCode(.registration, flow, [:]).messages == [.registrationCodeSent])
        let code = JSONValue.string(try await server.code(for: "person1@example.org"))
        #expect(try await server.submitCode(.registration, flow, ["code": code]).status == 200)
    }

    @Test func `Users can return to the first step without losing their input`() async throws {
        let server = try await server()
        let flow = await server.begin(.registration)
        let profile = JSONValue.object(["method": "profile", "traits": SelfServiceServer.traits()])
        _ = try await server.submit(.registration, flow, profile)
        for back: JSONValue in [
            .object(["method": "profile", "screen": "previous"]), .object(["screen": "previous"]),
        ] {
            let answer = try await server.submit(.registration, flow, back)
            #expect(answer.status == 400)
            #expect(answer.fields == ["csrf_token", "traits.email", "traits.phone", "traits.name", "method"])
            #expect(answer.node("traits.email")?["attributes"]?["type"] == "email")
            #expect(answer.messages.isEmpty)
        }
    }

    @Test func `The first step is repeated until all traits are valid`() async throws {
        let server = try await server()
        let answer = try await server.submit(
            .registration,
            await server.begin(.registration),
            .object(["method": "profile", "traits": .object(["email": "no-at", "phone": "+46701234567"])])
        )
        #expect(answer.messages("traits.email") == [.invalidEmail])
        #expect(answer.value("method") == "profile")
    }

    @Test func `The profile method is disabled if registration has only one step`() async throws {
        let server = try await SelfServiceServer()
        let profile = JSONValue.object(["method": "profile", "traits": SelfServiceServer.traits()])
        #expect(
            try await server.submit(.registration, await server.begin(.registration), profile).status == 404
        )
    }
}
