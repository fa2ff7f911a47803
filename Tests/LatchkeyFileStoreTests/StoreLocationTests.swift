import LatchkeyCore
import Testing

@testable import LatchkeyFileStore

@Suite struct `Standard store location` {
    @Test(arguments: [
        (["HOME": "/h"], "/h/.local/share/latchkey", "/h/.local/state/latchkey"),
        (["HOME": "/h", "XDG_DATA_HOME": "/d"], "/d/latchkey", "/h/.local/state/latchkey"),
        (["HOME": "/h", "XDG_STATE_HOME": "/s"], "/h/.local/share/latchkey", "/s/latchkey"),
        (["XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s"], "/d/latchkey", "/s/latchkey"),
        (
            ["HOME": "/h", "XDG_DATA_HOME": "d", "XDG_STATE_HOME": ""], "/h/.local/share/latchkey",
            "/h/.local/state/latchkey"
        ),
    ])
    func `The location follows the XDG environment variables`(
        environment: [String: String],
        data: String,
        key: String
    ) throws {
        let location = try StoreLocation.standard { environment[$0] }

        #expect(location.dataFolder == data)
        #expect(location.keyFolder == key)
    }

    @Test(arguments: [[:], ["XDG_DATA_HOME": "/d"], ["HOME": "h"]])
    func `Finding the default location fails if there is no home folder`(environment: [String: String]) {
        #expect(throws: SessionStoreError.self) { try StoreLocation.standard { environment[$0] } }
    }
}
