import LatchkeyTestKit
import Testing

@Suite struct `Explorer bounds` {
    @Test(arguments: [
        "processes=2,callers=3,asks=3,logins=1",
        "processes=1,callers=0,logins=any,crashes=14",
        "processes=4,callers=8,asks=1,logins=2,opaqueLogins=1,signOuts=1,refreshes=2,departures=3,amendments=4,"
            + "crashes=5,losses=6,revocations=7,moods=8,overtakings=9",
    ])
    func `are written as they are read`(text: String) throws {
        #expect(try ExplorerBounds(text).description == text)
    }

    @Test func `have one login and a question of each caller unless they say otherwise`() throws {
        let bounds = try ExplorerBounds("processes=2,callers=3")

        #expect(bounds == ExplorerBounds(processes: 2, callers: 3))
        #expect(bounds.description == "processes=2,callers=3,asks=3,logins=1")
    }

    @Test(arguments: ["processes", "processes=5", "callers=x", "crashes=15", "crashes=-1", "crush=1"])
    func `say what is wrong with them`(text: String) {
        #expect(throws: ExplorerBounds.Misspelt.self) { try ExplorerBounds(text) }
    }
}
