extension FormText {
    /// The form texts in Finnish.
    ///
    /// Texts without a translation are shown in English.
    static let finnish: [FormText: String] = [
        .signIn: "Kirjaudu sisään",
        .signInWithPassword: "Kirjaudu salasanalla",
        .sendSignInCode: "Lähetä kirjautumiskoodi",
        .sendSignUpCode: "Lähetä vahvistuskoodi",
        .signUp: "Luo tili",
        .back: "Takaisin",
        .save: "Tallenna",
        .proceed: "Jatka",
        .resend: "Lähetä uusi koodi",
        .code: "Koodi",
        .password: "Salasana",
        .email: "Sähköposti",
        .phone: "Puhelinnumero",
        .emailOrPhone: "Sähköposti tai puhelinnumero",
        .loginCodeSent: "Jos näillä tiedoilla on tili, olemme lähettäneet sinulle koodin. Kirjoita se tähän.",
        .codeSent: "Olemme lähettäneet sinulle koodin. Kirjoita se tähän.",
        .recoveryCodeSent:
            "Jos tällä osoitteella on tili, olemme lähettäneet sinulle koodin. Kirjoita se tähän.",
        .emailCodeSent:
            "Jos osoite on liitetty tiliin, olemme lähettäneet sinulle koodin sähköpostitse. Kirjoita se tähän.",
        .phoneCodeSent:
            "Jos numero on liitetty tiliin, olemme lähettäneet sinulle koodin tekstiviestillä. Kirjoita se tähän.",
        .chooseCredential: "Valitse, miten haluat kirjautua.",
        .reauthenticate: "Kirjaudu uudelleen, jotta voimme varmistaa, että se olet sinä.",
        .secondFactor: "Viimeistele kirjautuminen kaksivaiheisella tunnistautumisella.",
        .phoneVerified: "Puhelinnumerosi on vahvistettu.",
        .emailVerified: "Sähköpostiosoitteesi on vahvistettu.",
        .recovered: "Tilisi on palautettu. Valitse nyt uusi salasana.",
        .settingsSaved: "Muutokset on tallennettu.",
        .invalidCredentials:
            "Kirjautumistiedot ovat virheelliset. Tarkista, että kirjoitit kaiken oikein, myös salasanan.",
        .duplicate: "Tällä sähköpostiosoitteella tai puhelinnumerolla on jo tili.",
        .duplicateWithHints: "Tunnuksella {credential_identifier_hint} on jo tili. Kirjaudu sillä sisään.",
        .identityDisabled: "Tämä tili on poistettu käytöstä.",
        .appRequired: "Tätä tiliä voi käyttää vain sovelluksessa. Kirjaudu sisään siellä.",
        .chooseSignIn: "Valitse kirjautumistapa ja täytä kentät.",
        .chooseSignUp: "Valitse, miten haluat luoda tilin, ja täytä kentät.",
        .chooseChange: "Valitse, mitä haluat muuttaa, ja täytä kentät.",
        .chooseRecovery: "Valitse, miten haluat palauttaa tilin, ja täytä kentät.",
        .chooseVerification:
            "Valitse, miten haluat vahvistaa sähköpostiosoitteesi tai puhelinnumerosi, ja täytä kentät.",
        .flowExpired: "Lomake on vanhentunut tai jo käytetty. Aloita alusta tästä.",
        .usedAlready: "Lomake on jo käytetty. Aloita alusta tästä.",
        .doneOrTriedTooOften: "Vahvistus on jo tehty, tai yrityksiä on ollut liian monta. Aloita alusta.",
        .noCodeLogin: "Näillä tiedoilla ei löydy tiliä, tai tilille ei voi kirjautua koodilla.",
        .noCodeAddress: "Anna sähköpostiosoite tai puhelinnumero, johon voimme lähettää koodin.",
        .codeUsed: "Tämä koodi on jo käytetty. Pyydä uusi.",
        .codeExhausted: "Väärä koodi on annettu liian monta kertaa. Aloita alusta.",
        .wrongCode: "Koodi on väärä tai vanhentunut. Tarkista koodi tai pyydä uusi.",
        .traitsChanged: "Tietosi ovat muuttuneet koodin lähettämisen jälkeen. Pyydä uusi koodi.",
        .passwordUnchanged: "Tämä on nykyinen salasanasi. Valitse eri salasana.",
        .changedMeanwhile: "Tiliäsi muutettiin samaan aikaan muualla. Tarkista tietosi ja yritä uudelleen.",
        .severalAddresses:
            "Vaihda yksi osoite kerrallaan. Jokainen osoite on vahvistettava, ennen kuin voit vaihtaa seuraavan.",
        .nothingToChange: "Täytä tiedot, jotka haluat muuttaa.",
        .addressNotProven:
            "Tämä osoite on merkitty tilille, mutta sitä ei ole vahvistettu. Jos tili on sinun, kirjaudu salasanalla tai toisella osoitteella ja vahvista sitten tämä osoite. Jos tili ei ole sinun, luo uusi tili tällä osoitteella.",
        .claimCodeSent:
            "Lähetimme koodin osoitteeseen {address}. Vahvista kirjoittamalla se tähän, että tämä on sinun.",
        .lastEntrance:
            "Ilman tätä et voisi enää kirjautua tilillesi. Anna osoite, johon voit vastaanottaa koodeja.",
        .removalNeedsProof:
            "Jos haluat poistaa tämän osoitteen, kirjaudu ensin uudelleen salasanallasi tai osoitteeseen lähetetyllä koodilla.",
        .passwordNeedsProof:
            "Jos haluat vaihtaa salasanan, kirjaudu ensin uudelleen nykyisellä salasanallasi tai palauta tilisi.",
        .addressNotVerified: "Vahvista ensin sähköpostiosoitteesi tai puhelinnumerosi.",
        .missing: "Täytä tämä kenttä.",
        .tooShort:
            "Tämä on liian lyhyt. Pituuden on oltava vähintään {min_length}, mutta se on {actual_length}.",
        .tooLong: "Tämä on liian pitkä. Pituus saa olla enintään {max_length}, mutta se on {actual_length}.",
        .tooSmall: "Arvo on liian pieni.",
        .tooLarge: "Arvo on liian suuri.",
        .wrongType: "Arvo on väärää tyyppiä. Oikea tyyppi: {allowed_types}.",
        .invalidEmail: "Sähköpostiosoite on virheellinen.",
        .internationalMailbox:
            "Emme voi lähettää sähköpostia osoitteeseen, jossa on ennen @-merkkiä esimerkiksi ä-kirjain. "
            + "Käytä toista osoitetta.",
        .invalidPhone: "Puhelinnumero on virheellinen. Kirjoita alkuun + ja maan suuntanumero.",
        .invalidDate: "Päivämäärä on virheellinen. Kirjoita se muodossa vuosi-kuukausi-päivä.",
        .documentNotAccepted: "Vahvista tämä jatkaaksesi.",
        .documentChanged: "Uusi versio on julkaistu. Lue se ja vahvista uudelleen.",
        .acceptDocument: "Hyväksyn: {title}",
        .readDocument: "Olen lukenut: {title}",
        .declineDocuments: "Hylkää ja kirjaudu ulos",
        .tooYoung: "Sinun on oltava vähintään {minimum_age}-vuotias.",
        .birthdayWithoutYear: "Anna syntymäaikasi vuosiluvun kanssa.",
        .invalidRegion: "Tämä ei ole maakoodi. Käytä kahta kirjainta, esimerkiksi FI.",
        .regionOfOtherPhone:
            "Maa ei vastaa puhelinnumeroasi. Ota meihin yhteyttä, jos olet muuttanut.",
        .regionChangedRecently:
            "Vaihdoit maata äskettäin. Voit vaihtaa sen uudelleen {days} päivän kuluttua.",
        .phoneNotVerified: "Tätä puhelinnumeroa ei ole vielä vahvistettu.",
        .otherPhoneVerified: "Vahvistettu puhelinnumero on eri kuin tämä.",
        .passwordTooShort: "Salasana on liian lyhyt. Käytä vähintään {min_length} merkkiä.",
        .passwordTooLong: "Salasana on liian pitkä. Käytä enintään {max_length} tavua.",
        .passwordBreached: "Tämä salasana on paljastunut tietovuodossa. Valitse eri salasana.",
        .passwordCommon: "Tämä salasana on liian yleinen. Valitse vaikeammin arvattava.",
        .passwordSimilar: "Salasana muistuttaa liikaa kirjautumistunnustasi.",
    ]
}
