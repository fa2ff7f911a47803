import Glibc
import LatchkeyAccounts
import LatchkeyMicrohttpd
import LatchkeyModel
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyServerKit

@Suite(.onEachDatabase) struct `Refreshing tokens over a broken connection` {
    /// The points at which the connection can break, in chronological order.
    private enum Break: CaseIterable {
        case halfway, sent, answered
    }

    @Test func `A refresh that was lost can be repeated, two hundred times in a row`() async throws {
        let server = try await OAuthServer { $0.limits.renewalsPerSession = [] }
        let device = try await TokenDevice(server)
        let http = HTTPServer(configuration: HTTPServer.Configuration(), handler: server.router)
        try http.start()
        let port = try #require(http.boundPort)
        var token = try await device.exchange().refreshToken

        for round in 0..<200 {
            let request = try bytes(of: .refresh(token), from: device)
            let place = Break.allCases[round % Break.allCases.count]
            try await Self.blocking { try Self.lose(request, at: place, port: port) }
            // This time, we use an intact connection. The lost request may still be in progress.
            let repeated = try bytes(of: .refresh(token), from: device)
            let answer = try await Self.blocking { try Self.answer(to: repeated, port: port) }
            try #require(answer.hasPrefix("HTTP/1.1 200 "), "\(place): \(answer)")
            let pair = try await device.refresh(token)
            #expect(answer.contains(#""refresh_token":"\#(pair.refreshToken.exposed)""#))
            token = pair.refreshToken
        }

        #expect(try await server.used(device.session) == 200)
        #expect(try await server.isAlive(device.session))
        await http.stop()
    }

    private func bytes(of request: TokenRequest, from device: TokenDevice) throws -> [UInt8] {
        let body = request.httpRequest.body
        let head =
            "POST \(Route.token) HTTP/1.1\r\nHost: id.example.com\r\nDPoP: \(try device.proof())\r\n"
            + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.count)\r\n"
            + "Connection: close\r\n\r\n"
        return Array(head.utf8) + body
    }

    private static func lose(_ request: [UInt8], at place: Break, port: Int) throws {
        let connection = try LoopbackSocket.connect(to: port)
        defer { close(connection) }
        let sent = place == .halfway ? request.prefix(request.count / 2) : request[...]
        #expect(LoopbackSocket.sendAll(sent, to: connection))
        switch place {
        case .sent: break
        case .answered:
            var byte: UInt8 = 0
            #expect(recv(connection, &byte, 1, 0) == 1)
        case .halfway:
            // We reset the connection because the server would otherwise wait a long time for the rest of the
            // request.
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                connection,
                SOL_SOCKET,
                SO_LINGER,
                &linger,
                socklen_t(MemoryLayout.size(ofValue: linger))
            )
        }
    }

    private static func answer(to request: [UInt8], port: Int) throws -> String {
        let connection = try LoopbackSocket.connect(to: port)
        defer { close(connection) }
        #expect(LoopbackSocket.sendAll(request[...], to: connection))
        var answer: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while case let count = recv(connection, &part, part.count, 0), count > 0 { answer += part[..<count] }
        return String(decoding: answer, as: UTF8.self)
    }

    /// Runs a blocking closure on its own thread.
    private static func blocking<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do {
                _ = try WorkThread { continuation.resume(with: Result(catching: body)) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
