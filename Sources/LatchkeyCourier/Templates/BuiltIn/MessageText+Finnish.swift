extension MessageText {
    /// Returns the Finnish text for the given kind of message.
    static func finnish(_ kind: MessageKind) -> MessageText {
        switch kind {
        case .loginCode:
            code(
                "kirjautumiskoodisi",
                sms: "tilille kirjautumiseen{{at_app}}",
                mail: "kirjautua tilille{{at_app}} sähköpostiosoitteella {{address}}",
                without: "kukaan ei pääse kirjautumaan ilman koodia"
            )
        case .registrationCode:
            code(
                "rekisteröitymiskoodisi",
                sms: "tilin luomiseen{{at_app}}",
                mail: "luoda tili{{at_app}} sähköpostiosoitteella {{address}}",
                without: "tiliä ei luoda ilman koodia"
            )
        case .verificationCode:
            code(
                "vahvistuskoodisi",
                sms: "tämän numeron vahvistamiseen{{at_app}}",
                mail: "vahvistaa sähköpostiosoite {{address}}{{at_app}}",
                without: "osoitetta ei vahvisteta ilman koodia"
            )
            .confirmed(at: "Tai jatka tällä sivulla: {{link}}")
        case .signUpLink:
            code(
                "vahvistuskoodisi",
                sms: "tilisi vahvistamiseen{{at_app}}",
                mail: "luoda tili{{at_app}} sähköpostiosoitteella {{address}}",
                without: "tiliä ei vahvisteta ilman koodia"
            )
            .confirmed(
                at: "Tai vahvista osoite tällä sivulla ja palaa siltä sovellukseen: {{link}}"
            )
        case .recoveryCode:
            code(
                "palautuskoodisi",
                sms: "tilin palauttamiseen{{at_app}}",
                mail: "palauttaa tili{{at_app}} sähköpostiosoitteella {{address}}",
                without: "kukaan ei voi palauttaa tiliä ilman koodia"
            )
            .confirmed(at: "Tai jatka tällä sivulla: {{link}}")
        case .recoveryOfUnknown:
            MessageText(
                sms:
                    "Tällä numerolla pyydettiin tilin palautusta{{at_app}}, mutta numerolla ei ole tiliä. Jos se et ollut sinä, voit jättää viestin huomiotta.",
                subject: "Tällä osoitteella ei ole tiliä{{at_app}}",
                mail:
                    "Saimme{{from_ip_address}} pyynnön palauttaa tili{{at_app}} sähköpostiosoitteella {{address}}, mutta osoitteella ei ole tiliä.",
                "Jos teit pyynnön itse, kokeile toista osoitetta, jota olet saattanut käyttää. Jos et tehnyt pyyntöä, voit jättää viestin huomiotta."
            )
        case .verificationOfUnknown:
            MessageText(
                sms:
                    "Tämän numeron vahvistamista pyydettiin{{at_app}}, mutta numerolla ei ole tiliä. Jos se et ollut sinä, voit jättää viestin huomiotta.",
                subject: "Tällä osoitteella ei ole tiliä{{at_app}}",
                mail:
                    "Saimme{{from_ip_address}} pyynnön vahvistaa sähköpostiosoite {{address}}{{at_app}}, mutta osoitteella ei ole tiliä.",
                "Jos teit pyynnön itse, kokeile toista osoitetta, jota olet saattanut käyttää. Jos et tehnyt pyyntöä, voit jättää viestin huomiotta."
            )
        case .passwordChanged:
            MessageText(
                sms:
                    "Salasanasi{{at_app}} vaihdettiin{{from_ip_address}}. Jos et vaihtanut sitä itse, palauta tilisi heti.",
                subject: "Salasanasi{{at_app}} on vaihdettu",
                mail: "Tilisi salasana{{at_app}} ({{address}}) vaihdettiin{{from_ip_address}}.",
                "Jos vaihdoit sen itse, sinun ei tarvitse tehdä mitään.",
                "Jos et vaihtanut sitä itse, joku muu pääsee tilillesi. Palauta tili heti ja valitse uusi salasana."
            )
        case .addressChanged:
            MessageText(
                sms:
                    "Tilisi yhteystietoja{{at_app}} muutettiin{{from_ip_address}}. Jos se et ollut sinä, ota heti yhteyttä meihin.",
                subject: "Yhteystietojasi{{at_app}} on muutettu",
                mail:
                    "Tilisi sähköpostiosoitteita tai puhelinnumeroita{{at_app}} muutettiin{{from_ip_address}}. Saat tämän viestin, koska {{address}} oli ennen muutosta tilin vahvistettu osoite.",
                "Jos teit muutoksen itse, sinun ei tarvitse tehdä mitään.",
                "Jos et tehnyt muutosta itse, joku muu pääsee tilillesi. Palauta tili heti tai ota yhteyttä meihin, jos se ei onnistu."
            )
        case .addressVerified:
            MessageText(
                sms:
                    "Tilillesi{{at_app}} vahvistettiin{{from_ip_address}} toinen yhteystieto. Jos et odottanut tätä, kirjaudu ja tarkista yhteystietosi.",
                subject: "Tilisi yhteystieto{{at_app}} on vahvistettu",
                mail:
                    "Tilillesi{{at_app}} ({{address}}) vahvistettiin{{from_ip_address}} toinen sähköpostiosoite tai puhelinnumero. Vahvistaja ei ollut kirjautunut sisään, vaan antoi koodin, jonka olimme lähettäneet kyseiseen osoitteeseen tai numeroon.",
                "Jos vahvistit sen itse, sinun ei tarvitse tehdä mitään.",
                "Jos et odottanut tätä, kirjaudu sisään ja tarkista yhteystietosi."
            )
        case .entryRefused:
            MessageText(
                sms:
                    "Estimme pääsyn tilillesi{{at_app}}{{from_ip_address}} vahvistamattomalla osoitteella. Jos yritit itse, vahvista osoite. Muuten poista se.",
                subject: "Estimme kirjautumisen tilillesi{{at_app}}",
                mail:
                    "Tilillesi{{at_app}} ({{address}}) yritettiin kirjautua{{from_ip_address}}. Annettu koodi oli oikea, mutta olimme lähettäneet sen sähköpostiosoitteeseen tai puhelinnumeroon, joka on merkitty tilillesi mutta jota ei ole vahvistettu. Estimme kirjautumisen.",
                "Jos se olit sinä, kirjaudu sisään salasanallasi tai vahvistetulla osoitteella ja vahvista myös tämä osoite asetuksissa.",
                "Jos se et ollut sinä, poista vahvistamaton osoite tililtäsi."
            )
        case .accountRecovered:
            MessageText(
                sms:
                    "Tilisi{{at_app}} palautettiin{{from_ip_address}}. Muut laitteet kirjattiin ulos. Jos se et ollut sinä, palauta tili ja vaihda salasana.",
                subject: "Tilisi{{at_app}} on palautettu",
                mail:
                    "Tilisi{{at_app}} ({{address}}) palautettiin koodilla{{from_ip_address}}. Kaikki muut laitteet kirjattiin ulos.",
                "Jos palautit sen itse, sinun ei tarvitse tehdä mitään.",
                "Jos et palauttanut sitä itse, joku muu pääsee tilillesi. Palauta tili heti ja valitse uusi salasana."
            )
        case .deviceAdded:
            MessageText(
                sms:
                    "Tilillesi{{at_app}} lisättiin laite{{from_ip_address}}. Jos et lisännyt sitä, vaihda heti salasana: se kirjaa muut laitteet ulos.",
                subject: "Uusi laite tililläsi{{at_app}}",
                mail: "Tilillesi{{at_app}} ({{address}}) lisättiin uusi laite{{from_ip_address}}.",
                "Jos lisäsit sen itse, sinun ei tarvitse tehdä mitään.",
                "Jos et lisännyt sitä itse, vaihda heti salasanasi. Muut laitteesi kirjataan silloin ulos."
            )
        case .registrationAttempted:
            MessageText(
                sms:
                    "Tällä numerolla yritettiin luoda tili{{at_app}}, mutta sinulla on jo tili. Jos se et ollut sinä, voit jättää viestin huomiotta.",
                subject: "Sinulla on jo tili{{at_app}}",
                mail:
                    "Saimme{{from_ip_address}} pyynnön luoda tili{{at_app}} sähköpostiosoitteella {{address}}, mutta osoitteella on jo tili.",
                "Jos teit pyynnön itse, kirjaudu sisään tai palauta tili, jos olet unohtanut salasanan.",
                "Jos et tehnyt pyyntöä, voit jättää viestin huomiotta: tilisi on ennallaan."
            )
        case .deletionScheduled:
            MessageText(
                sms:
                    "Tilisi{{at_app}} poistetaan, kun on kulunut {{lifespan}}. Säilytä tili kirjautumalla sitä ennen. Jos se et ollut sinä, vaihda myös salasana.",
                subject: "Tilisi{{at_app}} poistetaan",
                mail:
                    "Saimme{{from_ip_address}} pyynnön poistaa tilisi{{at_app}} ({{address}}). Kaikki laitteet kirjattiin ulos. Poistamme tilin ja kaikki sen tiedot, kun pyynnöstä on kulunut {{lifespan}}.",
                "Jos muutat mielesi, kirjaudu sisään sitä ennen, niin tilisi säilyy.",
                "Jos et tehnyt pyyntöä itse, kirjaudu heti sisään, jotta tilisi säilyy, ja vaihda sitten salasanasi."
            )
        case .deletionCancelled:
            MessageText(
                sms:
                    "Tiliäsi{{at_app}} ei poisteta, koska sille kirjauduttiin{{from_ip_address}}. Jos se et ollut sinä, palauta tili heti ja vaihda salasana.",
                subject: "Tiliäsi{{at_app}} ei poisteta",
                mail:
                    "Tilillesi{{at_app}} ({{address}}) kirjauduttiin{{from_ip_address}}. Siksi tiliä ei poisteta.",
                "Jos kirjauduit itse, sinun ei tarvitse tehdä mitään. Voit poistaa tilin milloin tahansa uudelleen.",
                "Jos se et ollut sinä, joku muu pääsee tilillesi. Palauta tili heti ja valitse uusi salasana."
            )
        case .paymentMethodAdded:
            MessageText(
                sms:
                    "Kortti {{item}} lisättiin tilillesi{{at_app}}{{from_ip_address}}. Jos se et ollut sinä, vaihda salasana heti ja poista kortti.",
                subject: "Uusi kortti tililläsi{{at_app}}",
                mail:
                    "Kortti {{item}} lisättiin tilillesi{{at_app}} ({{address}}){{from_ip_address}}. Sillä voi nyt maksaa ostoksia.",
                "Jos lisäsit kortin itse, sinun ei tarvitse tehdä mitään.",
                "Jos se et ollut sinä, vaihda salasana heti ja poista kortti."
            )
        case .receipt:
            MessageText(
                sms:
                    "Kuitti{{for_app}}: {{item}}, {{amount}}. Jos se et ollut sinä, vaihda salasana heti ja ota meihin yhteyttä.",
                subject: "Kuittisi{{for_app}}: {{item}}",
                mail: "Kiitos ostoksestasi{{at_app}} ({{address}}).",
                "{{item}}: {{amount}}",
                "Viite: {{reference}}",
                "Jos et ostanut tätä, vaihda salasana heti ja ota meihin yhteyttä."
            )
        }
    }

    /// Returns the text of a message with a code.
    ///
    /// `consequence` completes the sentence "voit jättää viestin huomiotta: …".
    private static func code(
        _ name: String,
        sms shortAction: String,
        mail action: String,
        without consequence: String
    ) -> MessageText {
        MessageText(
            sms:
                "{{code}} on koodisi \(shortAction){{from_ip_address}}. Voimassa {{lifespan}}. Älä kerro koodia muille.",
            subject: "\(name.prefix(1).uppercased())\(name.dropFirst()){{for_app}}",
            mail: "Saimme{{from_ip_address}} pyynnön \(action). Jos teit pyynnön itse, anna tämä koodi:",
            "{{code}}",
            "Koodi on voimassa {{lifespan}}. Älä kerro sitä kenellekään, älä edes henkilölle, joka sanoo olevansa meillä töissä.",
            "Jos et tehnyt pyyntöä, voit jättää viestin huomiotta: \(consequence)."
        )
    }
}
