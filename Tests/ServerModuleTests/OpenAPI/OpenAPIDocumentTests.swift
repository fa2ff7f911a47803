import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestContract
import Testing

/// The tests cover the OpenAPI documents of both listeners.
@Suite struct `OpenAPI documents` {
    @Test(arguments: ["/a", "/", ""])
    func `The document uses the base path and is deterministic`(basePath: String) async throws {
        var settings = TestServer.configuration()
        settings.basePath = basePath
        let server = try await TestServer(configuration: settings)
        let prefix = ServerURLs(base: "", basePath: basePath).basePath
        let path = prefix + "/openapi.json"

        let first = await server.handler.respond(to: HTTP.Request(.get, path), from: .inProcess)
        let written = try #require(server.assembly).document.document.json
        let document = try JSONParser.parse(first.body)

        #expect(first.status == 200)
        #expect(first.body == written)
        #expect(document["openapi"] == .string("3.1.0"))
        #expect(document["paths"]?[path]?["get"]?["operationId"] == .string("getDocument"))
        #expect(document["paths"]?[prefix + Route.whoami]?["get"] != nil)
        #expect(document["paths"]?[Route.phoneVerification]?["patch"] != nil)
        await server.stop()
    }

    @Test func `Every operation is listed once with all of its path parameters`() async throws {
        let server = try await TestServer()
        let assembly = try #require(server.assembly)
        let places = assembly.document.document.endpoints + assembly.operatorRoutes

        for listener in [assembly.document.document.endpoints, assembly.operatorRoutes] {
            let ids = listener.map(\.operation.id)
            #expect(Set(ids).count == ids.count)
        }
        for place in places {
            let names = place.operation.parameters.filter { $0.place == .path }
            #expect(names.count == place.path.ranges(of: "{}").count, "\(place.path)")
            #expect(place.operation.responses.contains { $0.status < 400 }, "\(place.operation.id)")
            let statuses = place.responses.map(\.status)
            #expect(Set(statuses).count == statuses.count, "\(place.operation.id)")
            #expect(statuses.contains(400) && statuses.contains(500) && statuses.contains(503))
        }
        await server.stop()
    }

    @Test func `All schema references in the document can be resolved`() async throws {
        let server = try await TestServer()
        let json = try #require(server.assembly).document.document.json
        let schemas = try #require(try JSONParser.parse(json)["components"]?["schemas"])

        let references = String(decoding: json, as: UTF8.self)
            .matches(of: /"#\/components\/schemas\/([A-Za-z]+)"/).map { String($0.1) }

        #expect(references.count > 100)
        for name in Set(references) { #expect(schemas[name] != nil, "\(name)") }
        await server.stop()
    }
}

/// Other tests apply this check to all of their responses.
@Suite struct `Checking responses against the OpenAPI document` {
    private static let document = OpenAPIDocument(
        [
            Endpoint(
                .get,
                "/things/{}",
                accepts: .none,
                operation: APIOperation(
                    "getThing",
                    "A thing.",
                    parameters: [.path("id", "Its id.", .text)],
                    [
                        APIResponse(
                            200,
                            "The thing.",
                            .object([
                                .required("id", .uuid), .optional("at", .time), .optional("n", .integer),
                            ]),
                            headers: [.link]
                        ),
                        APIResponse(204, "None."),
                    ]
                )
            ) { _ in HTTP.Response(204) }
        ],
        below: "/a"
    )
    private static let id = #""id": "11111111-1111-4111-8111-111111111111""#

    @Test(arguments: [
        (200, "{\(id)}", true),
        (200, #"{\#(id), "at": "2026-01-02T03:04:05Z", "n": 1}"#, true),
        (200, #"{"id": "1"}"#, false),
        (200, #"{\#(id), "at": "yesterday"}"#, false),
        (200, #"{\#(id), "n": "1"}"#, false),
        (200, #"{\#(id), "other": 1}"#, false),
        (200, "{}", false),
        (200, "[]", false),
        (200, "no JSON", false),
        (200, "", false),
        (204, "", true),
        (204, "{}", false),
        (418, "", false),
        (500, #"{"error": {"code": 500, "status": "a", "message": "b"}}"#, true),
        (500, #"{"error": {"code": 500, "status": "a", "message": "b", "stack": "c"}}"#, false),
    ])
    func `A response is accepted only if it matches its operation`(status: Int, body: String, isRight: Bool) {
        let headers: HTTP.Headers = ["Content-Type": "application/json; charset=utf-8", "Link": "</>"]
        let answer = HTTP.Response(status, headers: headers, body: Array(body.utf8))
        let findings = ContractCheck(Self.document).findings(HTTP.Request(.get, "/a/things/1"), answer)

        #expect(findings.isEmpty == isRight, "\(findings)")
    }

    @Test func `A response is rejected if its content type or a required header is missing`() {
        let check = ContractCheck(Self.document)
        let request = HTTP.Request(.get, "/a/things/1")
        let body = Array("{\(Self.id)}".utf8)

        #expect(
            !check.findings(request, HTTP.Response(200, headers: ["Link": "</>"], body: body)).isEmpty
        )
        #expect(
            !check.findings(
                request,
                HTTP.Response(200, headers: ["Content-Type": "application/json"], body: body)
            ).isEmpty
        )
    }

    @Test(arguments: [("GET", "/a/nothing", 404), ("GET", "/things/1", 404), ("PUT", "/a/things/1", 405)])
    func `Undocumented routes may only respond with errors`(method: String, path: String, status: Int) {
        let request = HTTP.Request(HTTP.Method(rawValue: method), path)

        #expect(
            ContractCheck(Self.document).findings(request, ServerError(status).response(echoing: nil)).isEmpty
        )
        #expect(!ContractCheck(Self.document).findings(request, HTTP.Response(204)).isEmpty)
    }
}
