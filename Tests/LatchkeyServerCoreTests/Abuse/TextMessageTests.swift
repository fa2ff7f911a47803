import LatchkeyModel
import LatchkeyServerCore
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `A limit on all text messages` {
    private func ask(_ server: FlowServer, _ address: String, from host: String) async throws -> Int {
        let flow = await server.begin(.verification)
        return try await server.submitCode(.verification, flow, ["email": .string(address)], from: host)
            .status
    }

    @Test func `holds whoever asks for them, from wherever, and for phones alone`() async throws {
        let server = try await FlowServer {
            $0.limits.textMessages = [LimitWindow(5, per: .seconds(3600))]
        }
        for number in 1...5 {
            #expect(try await ask(server, "+4670100000\(number)", from: "192.0.2.\(number)") == 200)
        }
        #expect(try await ask(server, "+46701000006", from: "192.0.2.6") == 429)
        #expect(try await ask(server, "person1@example.org", from: "192.0.2.6") == 200)

        server.time.advance(by: .seconds(3600))
        #expect(try await ask(server, "+46701000006", from: "192.0.2.6") == 200)
    }

    @Test func `is never passed, into however many shares it is dealt out`() async throws {
        let server = try await FlowServer {
            $0.limits.textMessages = [LimitWindow(120, per: .seconds(3600))]
        }
        var sent = 0
        for number in 0..<160 {
            let phone = "+46701" + String(100_000 + number)
            sent += try await ask(server, phone, from: "192.0.2.\(number)") == 200 ? 1 : 0
        }
        // Not every share need be used up, but most are.
        #expect((100...120).contains(sent))
    }
}
