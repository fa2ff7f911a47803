import LatchkeyTestKit
import Testing

@Suite struct `Explorer bounds` {
    @Test(arguments: [
        "processes=2,callers=3,requests=3,logins=1",
        "processes=1,callers=0,logins=any,crashes=14",
        "processes=4,callers=8,requests=1,logins=2,opaqueLogins=1,signOuts=1,refreshes=2,cancellations=3,sessionChanges=4,"
            + "crashes=5,losses=6,revocations=7,storeFailures=8,lockTimeouts=9",
    ])
    func `Printed bounds can be parsed`(text: String) throws {
        #expect(try ExplorerBounds(text).description == text)
    }

    @Test func `The defaults are one login and one request per caller`() throws {
        let bounds = try ExplorerBounds("processes=2,callers=3")

        #expect(bounds == ExplorerBounds(processes: 2, callers: 3))
        #expect(bounds.description == "processes=2,callers=3,requests=3,logins=1")
    }

    @Test(arguments: ["processes", "processes=5", "callers=x", "crashes=15", "crashes=-1", "crush=1"])
    func `Invalid bounds are rejected`(text: String) {
        #expect(throws: BoundsParseError.self) { try ExplorerBounds(text) }
    }
}
