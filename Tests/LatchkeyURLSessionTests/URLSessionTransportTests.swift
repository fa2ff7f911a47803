import Foundation
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestProcesses
import Testing

@testable import LatchkeyURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(10))) struct `URLSession transport` {
    @Test func `The transport passes the conformance checks`() async {
        let violations = await TransportConformance(
            bodyLimit: 100_000,
            exemptions: [.dotSegments, .bodiesOfGET]
        ) { _, _ in
            URLSessionTransport(timeout: .seconds(240), bodyLimit: 100_000)
        }.violations()

        #expect(violations == [])
    }

    @Test(arguments: ["/.", "/..", "/a/./b", "/%2e%2E/b", "/a/.%2e"])
    func `Paths that URLSession would change are rejected`(path: String) async {
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(HTTP.Request(.get, path), to: "https://id.invalid")
        }
        #expect(error?.code == .invalidRequest && error?.neverSent == true)
    }

    @Test func `The error for an unknown host says that the request was never sent`() async {
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(
                HTTP.Request(.post, "/secret1", query: "secret2", body: Array("secret3".utf8)),
                to: "https://id.invalid"
            )
        }
        #expect(error?.code == .unreachable && error?.neverSent == true)
        #expect(error?.message.hasPrefix("id.invalid: ") == true)
        #expect(error.map { "\($0)".contains("secret") } == false)
    }

    @Test func `The final status is returned after an interim response`() async throws {
        let server = ScriptedServer([
            "HTTP/1.1 103 Early Hints\r\nX: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        ])

        let answer = try await URLSessionTransport().send(HTTP.Request(.get, "/"), to: server.origin)

        #expect(answer.status == 200 && answer.body == Array("ok".utf8))
        #expect(answer.headers["X"] == nil)
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"])
    func `A request that may have been processed counts as sent`(answer: String) async {
        let server = ScriptedServer([answer])

        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(HTTP.Request(.post, "/", body: [1]), to: server.origin)
        }

        #expect(error?.neverSent == false && error?.head?.status == (answer.isEmpty ? nil : 200))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [
        (URLError.Code.notConnectedToInternet, true, true), (.notConnectedToInternet, false, false),
        (.networkConnectionLost, true, false), (.serverCertificateUntrusted, true, true),
        (.serverCertificateUntrusted, false, false), (.timedOut, true, false),
    ])
    func `An error says that the request was never sent only if no part of it was`(
        code: URLError.Code,
        isUnsent: Bool,
        neverSent: Bool
    ) {
        let error = TransportError(URLError(code), host: "id.invalid", isUnsent: isUnsent)

        #expect(error.neverSent == neverSent)
    }

    @Test func `The time limit includes the production of an upload`() async {
        let upload = HTTP.Upload { _ in try await SystemTime().sleep(for: .seconds(600)) }

        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().stream(
                HTTP.Request(.put, "/"),
                upload: upload,
                to: "https://id.invalid",
                limits: RequestLimits(timeout: .milliseconds(50))
            )
        }

        #expect(error?.code == .timedOut && error?.neverSent == true)
    }

    @Test func `An upload ends as soon as it is longer than announced`() async {
        let upload = HTTP.Upload(length: 2) { write in
            while true { try await write([1]) }
        }

        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().stream(
                HTTP.Request(.put, "/"),
                upload: upload,
                to: "https://id.invalid",
                limits: RequestLimits()
            )
        }

        #expect(error?.code == .invalidRequest && error?.cause == nil)
    }
}
