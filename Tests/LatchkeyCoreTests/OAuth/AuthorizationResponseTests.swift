import LatchkeyModel
import Testing

@testable import LatchkeyCore

@Suite struct `Answers of a provider` {
    @Test func `A code, an error and the provider are read`() throws {
        let code = try #require(
            AuthorizationResponse(query: "code=a%20b&state=s&iss=https%3A%2F%2Fid.test", at: "app:/cb")
        )
        #expect(code.answer == .code("a b"))
        #expect(code.state == "s" && code.issuer == "https://id.test")
        let error = try #require(
            AuthorizationResponse(query: "error=access_denied&error_description=No&state=s", at: "app:/cb")
        )
        #expect(error.answer == .error("access_denied", description: "No"))
        #expect(error.issuer == nil)
    }

    @Test func `Unknown parameters are ignored`() {
        #expect(AuthorizationResponse(query: "code=a&state=s&session_state=x&scope=y", at: "app:/cb") != nil)
    }

    @Test(arguments: [
        "", "code=a", "state=s", "code=a&state=", "code=&state=s", "error=&state=s",
        "code=a&error=access_denied&state=s", "code=a&code=b&state=s", "code=a&state=s&state=t",
        "code=a&state=s&iss=x&iss=y", "code=a&state=s&x=1&x=2", "code=%FF&state=s",
        "code=a&state=s&iss=%ZZ%FF",
    ])
    func `Answers that are ambiguous or incomplete have no effect`(query: String) {
        #expect(AuthorizationResponse(query: query, at: "app:/cb") == nil)
    }
}
